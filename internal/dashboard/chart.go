// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"
	"math"
	"strings"
	"time"
)

const (
	// chartWidth and chartHeight are the size of a chart in its own units.
	chartWidth  = 600
	chartHeight = 100
	// headspace is how much of the height stays free above the highest value.
	headspace = 1.08
)

// point is a value from a time on.
type point struct {
	at     time.Time
	amount float64
}

// chart is an amount over time, drawn in steps. The zero value is none.
type chart struct {
	Name string
	// Text says the same as the picture.
	Text string
	// Area and Line are paths of SVG.
	Area, Line string
	// LimitAt is the height of the line of the quota, if Limited.
	Limited     bool
	LimitAt     float64
	From, Until time.Time
}

// span is a time from which, and one until which, something is drawn.
type span struct{ from, until time.Time }

// drawn draws points, which are in the order of time. A limit of 0 is none.
func drawn(name string, points []point, over span, limit float64) chart {
	length := over.until.Sub(over.from).Seconds()
	if len(points) == 0 || length <= 0 {
		return chart{}
	}
	most, now := limit, points[len(points)-1].amount
	peak := 0.0
	for _, p := range points {
		most, peak = max(most, p.amount), max(peak, p.amount)
	}
	if most <= 0 {
		return chart{}
	}
	height := func(amount float64) float64 { return chartHeight - amount/most*chartHeight/headspace }
	at := func(t time.Time) float64 {
		return min(chartWidth, max(0, t.Sub(over.from).Seconds()/length*chartWidth))
	}
	var line strings.Builder
	fmt.Fprintf(&line, "M%.1f %.1f", at(points[0].at), height(points[0].amount))
	for _, p := range points[1:] {
		fmt.Fprintf(&line, "H%.1fV%.1f", at(p.at), height(p.amount))
	}
	fmt.Fprintf(&line, "H%d", chartWidth)
	c := chart{
		Name: name, Line: line.String(), From: over.from, Until: over.until,
		Area: fmt.Sprintf("%sV%dH%.1fZ", line.String(), chartHeight, at(points[0].at)),
		Text: fmt.Sprintf("%s: %s now, %s at most", name, rounded(now), rounded(peak)),
	}
	if limit > 0 {
		c.Limited, c.LimitAt = true, height(limit)
		c.Text += fmt.Sprintf(", quota %s", rounded(limit))
	}
	return c
}

// rounded writes an amount with as many digits as say something: 0.004, 1.25, 12.3, 1,234.
func rounded(amount float64) string {
	switch size := math.Abs(amount); {
	case amount == math.Trunc(amount):
		return grouped(amount)
	case size < 0.0005:
		return "<0.001"
	case size < 0.1:
		return fmt.Sprintf("%.3f", amount)
	case size < 100:
		return fmt.Sprintf("%.2f", amount)
	case size < 1000:
		return fmt.Sprintf("%.1f", amount)
	}
	return grouped(amount)
}
