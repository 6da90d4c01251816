// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"fmt"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

// Frame is the layout of a view on the terminal.
type Frame struct {
	// Title begins the first line, such as "Applications in namespace etl".
	Title string
	// Namespaces adds a column for the namespace.
	Namespaces bool
	// Width and Height are the size of the terminal.
	Width, Height int
	// Clean escapes control characters in text from the cluster.
	Clean func(string) string
	// Color enables colors.
	Color bool
}

// Colors of lines, as SGR parameters of ECMA-48.
const (
	faint  = "2"
	red    = "31"
	yellow = "33"
)

// Lines returns the lines of a view, as many as fit.
func (f Frame) Lines(v View) []string {
	lines := []string{f.Title + ": " + counts(v.Rows) + "  " + v.At.Format(time.TimeOnly)}
	if v.Lost != nil {
		lines = append(lines, f.paint(red, f.Clean("What follows may be outdated: "+v.Lost.Error())))
	}
	if n := unseen(v.Rows); n > 0 {
		lines = append(lines, f.paint(red, fmt.Sprintf("The operator has not looked at %d of them: is it running?", n)))
	}
	if len(v.Rows) == 0 {
		return lines
	}
	lines = append(lines, "")
	fits := max(1, f.Height-len(lines)-2) // minus the header of the table and the last line
	rows := v.Rows[:min(fits, len(v.Rows))]
	var table strings.Builder
	_ = printer.WriteList(&table, rows, printer.ListOptions{Namespaces: f.Namespaces, Width: f.Width}) // a strings.Builder never fails
	for i, line := range strings.Split(strings.TrimSuffix(f.Clean(table.String()), "\n"), "\n") {
		if i > 0 {
			line = f.paint(colorOf(status.Stage(rows[i-1].Stage)), line)
		}
		lines = append(lines, line)
	}
	if more := len(v.Rows) - len(rows); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more, which do not fit", more))
	}
	return lines
}

// paint colors a line.
func (f Frame) paint(color, line string) string {
	if !f.Color || color == "" {
		return line
	}
	return "\x1b[" + color + "m" + line + "\x1b[0m"
}

// colorOf returns the color of lines in a stage, or "".
func colorOf(stage status.Stage) string {
	switch {
	case stage.Failed():
		return red
	case stage.Ended():
		return faint
	case stage.Waiting(), stage.Blocked():
		return yellow
	}
	return ""
}

// counts returns the number of applications in each stage, such as "3 (1 Queued, 2 Running)".
func counts(rows []status.Summary) string {
	byStage := map[string]int{}
	for i := range rows {
		byStage[rows[i].Stage]++
	}
	var each []string
	for _, stage := range append([]status.Stage{status.Unobserved}, status.Stages()...) {
		if n := byStage[string(stage)]; n > 0 {
			each = append(each, fmt.Sprintf("%d %s", n, stage))
		}
	}
	if len(each) == 0 {
		return "none"
	}
	return fmt.Sprintf("%d (%s)", len(rows), strings.Join(each, ", "))
}

// unseen returns the number of applications at which the operator should have looked by now.
func unseen(rows []status.Summary) int {
	n := 0
	for i := range rows {
		if rows[i].Stage == status.Unobserved && rows[i].Age > status.ObservedWithin {
			n++
		}
	}
	return n
}
