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
	// chartWidth and chartHeight are the size of a chart, in the units of its numbers.
	chartWidth  = 600
	chartHeight = 100
	// headspace leaves some of the height free above the largest value, as a factor.
	headspace = 1.08
)

// point is a value that is valid from a time on.
type point struct {
	at     time.Time
	amount float64
}

// chart is an amount over time, drawn as steps. The zero value draws nothing.
type chart struct {
	Name string
	// Text describes the chart in words.
	Text string
	// Area and Line are SVG paths.
	Area, Line string
	// LimitAt is the height of the line for the quota, if Limited is set.
	Limited     bool
	LimitAt     float64
	From, Until time.Time
}

// span is a period of time.
type span struct{ from, until time.Time }

// drawn returns a chart of points, which must be sorted by time. If limit is 0, there is no limit.
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

// rounded formats an amount with as many digits as are useful: 0.004, 1.25, 12.3, 1,234.
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
