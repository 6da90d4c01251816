// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package charts

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

// Point is a value that is valid from a time on.
type Point struct {
	At     time.Time
	Amount float64
}

// Chart is an amount over time, drawn as steps. The zero value draws nothing.
type Chart struct {
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

// Span is a period of time.
type Span struct{ From, Until time.Time }

// Draw returns a chart of points, which must be sorted by time. If limit is 0, there is no limit.
func Draw(name string, points []Point, over Span, limit float64) Chart {
	length := over.Until.Sub(over.From).Seconds()
	if len(points) == 0 || length <= 0 {
		return Chart{}
	}
	most, now := limit, points[len(points)-1].Amount
	peak := 0.0
	for _, p := range points {
		most, peak = max(most, p.Amount), max(peak, p.Amount)
	}
	if most <= 0 {
		return Chart{}
	}
	height := func(amount float64) float64 { return chartHeight - amount/most*chartHeight/headspace }
	at := func(t time.Time) float64 {
		return min(chartWidth, max(0, t.Sub(over.From).Seconds()/length*chartWidth))
	}
	var line strings.Builder
	fmt.Fprintf(&line, "M%.1f %.1f", at(points[0].At), height(points[0].Amount))
	for _, p := range points[1:] {
		fmt.Fprintf(&line, "H%.1fV%.1f", at(p.At), height(p.Amount))
	}
	fmt.Fprintf(&line, "H%d", chartWidth)
	c := Chart{
		Name: name, Line: line.String(), From: over.From, Until: over.Until,
		Area: fmt.Sprintf("%sV%dH%.1fZ", line.String(), chartHeight, at(points[0].At)),
		Text: fmt.Sprintf("%s: %s now, %s at most", name, Rounded(now), Rounded(peak)),
	}
	if limit > 0 {
		c.Limited, c.LimitAt = true, height(limit)
		c.Text += fmt.Sprintf(", quota %s", Rounded(limit))
	}
	return c
}

// Rounded formats an amount with as many digits as are useful: 0.004, 1.25, 12.3, 1,234.
func Rounded(amount float64) string {
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

// grouped formats a whole number with commas.
func grouped(amount float64) string {
	digits := fmt.Sprintf("%.0f", amount)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
