// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package charts

import (
	"fmt"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

const (
	// minSegment is the width of a segment without a duration, so that it can be seen.
	minSegment = 0.7
	// endWidth is the width of the mark for the end of a run.
	endWidth = 1.2
)

// Stages shows a run as a bar, with a segment for each stage whose width shows how long it took. The zero value draws
// nothing.
type Stages struct {
	Steps    []step
	Segments []segment
	// Text describes the bar in words.
	Text string
	// Until is now, or when the run ended.
	Until time.Time
}

// step is a step of the run.
type step struct {
	status.Step
	// State is done, failed, now or next; Phase is the color of the segment after the step.
	State, Phase string
	// Took is how long the segment after the step is; empty for the last step and for future ones.
	Took string
}

// segment is the time between two steps. X and Width are between 0 and barWidth.
type segment struct {
	X, Width float64
	Phase    string
}

// phases are the colors of the segments, by the step before them.
var phases = map[string]string{
	"Queued": "waits", "Admitted": "begins", "Driver": "runs", "Executors": "runs", "Stopping": "stops", "Retry": "waits",
}

// StagesOf returns the stages of an application at the time now.
func StagesOf(app *v1alpha1.SparkApplication, now time.Time) Stages {
	var out Stages
	for _, s := range status.Timeline(app) {
		next := step{Step: s, State: "next", Phase: phases[s.Name]}
		if s.Name == "Executors" && len(out.Steps) > 0 {
			out.Steps[len(out.Steps)-1].Phase = "gathers" // the driver runs, but executors are missing
		}
		if !s.At.IsZero() {
			next.State = "done"
		}
		out.Steps = append(out.Steps, next)
	}
	var reached []*step
	for i := range out.Steps {
		if !out.Steps[i].At.IsZero() {
			reached = append(reached, &out.Steps[i])
		}
	}
	if len(reached) == 0 {
		return out
	}
	stage, _ := status.StageOf(app.Status.Conditions)
	last := reached[len(reached)-1]
	out.Until = now
	end := ""
	switch {
	case !stage.Ended():
		last.State = "now"
	case stage.Failed():
		last.State, end = "failed", "failed"
	default:
		end = "ended"
	}
	if end != "" {
		last.Phase, out.Until = end, last.At
	}
	out.draw(reached, end)
	return out
}

// draw draws the steps that have been reached. end is the color of the mark at the end; empty if the run continues.
func (p *Stages) draw(reached []*step, end string) {
	var lengths []time.Duration
	var words []string
	total := time.Duration(0)
	for i, s := range reached {
		text := fmt.Sprintf("%s at %s", s.Name, ClockOf(s.At, p.Until))
		until := p.Until
		if i+1 < len(reached) {
			until = reached[i+1].At
		}
		if i+1 < len(reached) || end == "" {
			length := max(0, until.Sub(s.At))
			s.Took = printer.Took(length)
			lengths, total = append(lengths, length), total+length
			text += ", for " + s.Took
		}
		words = append(words, text)
	}
	p.Text = strings.Join(words, "; ")
	width := float64(BarWidth)
	if end != "" {
		width -= endWidth
	}
	free, x := width-minSegment*float64(len(lengths)), 0.0
	for i, length := range lengths {
		part := 1 / float64(len(lengths))
		if total > 0 {
			part = length.Seconds() / total.Seconds()
		}
		p.Segments = append(p.Segments, segment{x, minSegment + free*part, reached[i].Phase})
		x += minSegment + free*part
	}
	if end != "" {
		p.Segments = append(p.Segments, segment{width, endWidth, end})
	}
}

// ClockOf formats a time of day, with its date if other is on another day.
func ClockOf(at, other time.Time) string {
	if sameDay(at, other) {
		return at.UTC().Format("15:04:05 UTC")
	}
	return at.UTC().Format("2006-01-02 15:04:05 UTC")
}

// AxisOf formats one end of an axis, with its date if the other end is on another day.
func AxisOf(at, other time.Time) string {
	if sameDay(at, other) {
		return at.UTC().Format("15:04")
	}
	return at.UTC().Format("2006-01-02 15:04")
}

func sameDay(a, b time.Time) bool {
	a, b = a.UTC(), b.UTC()
	return a.YearDay() == b.YearDay() && a.Year() == b.Year()
}
