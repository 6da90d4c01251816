// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package printer

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

// ListOptions are the options of a table of applications.
type ListOptions struct {
	// Namespaces adds a column for the namespace; Wide adds some more columns.
	Namespaces, Wide bool
	// Width is the width of the terminal; 0 if the output is not a terminal. The last column is cut to fit.
	Width int
	// Fold puts messages on lines of their own, if a terminal is too narrow to show them beside the other columns.
	Fold bool
	// NoHeaders leaves out the first line.
	NoHeaders bool
}

// readableMessage is the least number of characters that a message has beside other columns.
const readableMessage = 40

// repeated matches the beginning of a message that only repeats the stage, the run and the attempt.
var repeated = regexp.MustCompile(`^run \d+(?:, attempt \d+| failed): (?:driver ended with exit code \d+: )?`)

// WriteList writes applications as a table.
func WriteList(out io.Writer, apps []status.Summary, o ListOptions) error {
	header := []string{"NAMESPACE", "NAME", "QUEUE", "STAGE", "EXECUTORS", "AGE", "DURATION", "RUN", "ATTEMPT", "DUE", "MESSAGE"}
	rows := [][]string{o.columns(header)}
	for i := range apps {
		a := &apps[i]
		ran := ""
		if a.RunDuration > 0 {
			ran = duration.HumanDuration(a.RunDuration)
		}
		rows = append(rows, o.columns([]string{
			a.Namespace, a.Name, a.Queue, a.Stage, a.Executors, duration.HumanDuration(a.Age), ran,
			strconv.FormatInt(a.Run, 10), strconv.FormatInt(a.Attempt, 10), oneLine(a.Due), repeated.ReplaceAllString(oneLine(a.Message), ""),
		}))
	}
	if o.NoHeaders {
		rows = rows[1:]
	}
	if _, used := widthsOf(rows); o.Fold && o.Width > 0 && o.Width-used < readableMessage {
		return writeFolded(out, rows, o)
	}
	return writeTable(out, rows, o.Width)
}

// writeFolded writes a table whose last column, the message, follows each row on a line of its own.
func writeFolded(out io.Writer, rows [][]string, o ListOptions) error {
	last := len(rows[0]) - 1
	short := make([][]string, len(rows))
	for i, row := range rows {
		short[i] = row[:last]
	}
	var table, text strings.Builder
	_ = writeTable(&table, short, 0) // a strings.Builder never fails
	i := 0
	for line := range strings.Lines(table.String()) {
		text.WriteString(line)
		if message := rows[i][last]; message != "" && (i > 0 || o.NoHeaders) {
			text.WriteString("  " + cut(message, o.Width-2) + "\n")
		}
		i++
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// columns returns the cells of the columns that the options select.
func (o ListOptions) columns(all []string) []string {
	const namespace, run, message = 0, 7, 10
	var kept []string
	if o.Namespaces {
		kept = append(kept, all[namespace])
	}
	kept = append(kept, all[namespace+1:run]...)
	if o.Wide {
		kept = append(kept, all[run:message]...)
	}
	return append(kept, all[message])
}

// futureTime matches a time in a message.
var futureTime = regexp.MustCompile(` at (\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z)`)

// WithTimeLeft returns a message in which the times that are still to come are given as the time left until then, as in
// "attempt 2 will be queued in 5m". A message of the status has no such durations, because they would change all the
// time.
func WithTimeLeft(message string, now time.Time) string {
	return futureTime.ReplaceAllStringFunc(message, func(text string) string {
		at, err := time.Parse(time.RFC3339, strings.TrimPrefix(text, " at "))
		if err != nil || !at.After(now) {
			return text
		}
		return " in " + duration.HumanDuration(at.Sub(now))
	})
}

// oneLine returns a text without line ends.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Widths in tables, in characters.
const (
	columnGap = 3
	// leastLast is the smallest width to which the last column is cut, even in a narrow terminal.
	leastLast = 20
)

// widthsOf returns the widths of all columns but the last, and that of them together.
func widthsOf(rows [][]string) (widths []int, used int) {
	widths = make([]int, len(rows[0])-1)
	for column := range widths {
		for _, row := range rows {
			widths[column] = max(widths[column], utf8.RuneCountInString(row[column]))
		}
		used += widths[column] + columnGap
	}
	return widths, used
}

// writeTable writes rows in columns and cuts the last column to the width of the terminal; 0 does not cut.
func writeTable(out io.Writer, rows [][]string, width int) error {
	last := len(rows[0]) - 1
	widths, used := widthsOf(rows)
	var text strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for column, cell := range row[:last] {
			line.WriteString(cell)
			line.WriteString(strings.Repeat(" ", widths[column]-utf8.RuneCountInString(cell)+columnGap))
		}
		tail := row[last]
		if width > 0 {
			tail = cut(tail, max(width-used, leastLast))
		}
		text.WriteString(strings.TrimRight(line.String()+tail, " "))
		text.WriteString("\n")
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// cut returns the first characters of a text, with three dots if it is longer.
func cut(text string, width int) string {
	const dots = "..."
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-len(dots)]) + dots
}

// WriteDetails writes one application with the timeline of its run and the results of its attempts.
func WriteDetails(out io.Writer, app *v1alpha1.SparkApplication, now time.Time) error {
	p := &page{}
	s := status.Summarize(app, now)
	p.line("%-10s %s/%s", "Name", s.Namespace, s.Name)
	p.line("%-10s %s: %s", "Stage", s.Stage, oneLine(WithTimeLeft(s.Detail(), now)))
	p.line("%-10s %s", "Queue", s.Queue)
	p.optional("Schedule", scheduleText(app))
	if s.Run > 0 {
		p.line("%-10s %d, attempt %d%s", "Run", s.Run, s.Attempt, ranText(s.RunDuration))
	}
	if s.Executors != "" {
		p.line("%-10s %s", "Executors", s.Executors)
	}
	if d := app.Status.Driver; d != nil {
		p.optional("Driver", d.PodName)
		p.optional("Spark ID", d.ApplicationID)
		p.optional("UI", d.UIAddress)
		p.optional("History", d.HistoryAddress)
	}
	if s.Run > 0 {
		p.timeline(app)
	}
	p.executorFailures(app.Status.Executors)
	for i := range app.Status.Attempts {
		p.attempt(&app.Status.Attempts[i])
	}
	return p.end(out, "")
}

// scheduleText names the schedule of an application and the time at which it was due; empty if the application has no
// schedule.
func scheduleText(app *v1alpha1.SparkApplication) string {
	owner := metav1.GetControllerOfNoCopy(app)
	if owner == nil || owner.Kind != v1alpha1.ScheduledSparkApplicationKind {
		return ""
	}
	switch due := app.Annotations[v1alpha1.ScheduledForAnnotation]; {
	case due != "" && app.Annotations[v1alpha1.RunForRequestAnnotation] != "":
		return owner.Name + ", requested for " + due
	case due != "":
		return owner.Name + ", due at " + due
	}
	return owner.Name + ", requested outside its times"
}

func ranText(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return ", ran for " + duration.HumanDuration(d)
}

// Took returns a duration in short form, such as 5m or 3h12m.
func Took(d time.Duration) string { return duration.HumanDuration(d) }

func (p *page) optional(name, value string) {
	if value != "" {
		p.line("%-10s %s", name, value)
	}
}

// timeline lists the steps of the run, each with the time since the previous one.
func (p *page) timeline(app *v1alpha1.SparkApplication) {
	p.paragraph()
	var before time.Time
	for _, step := range status.Timeline(app) {
		if step.At.IsZero() {
			p.line("%-10s -", step.Name)
			continue
		}
		since := ""
		if !before.IsZero() && !step.At.Before(before) {
			since = "+" + duration.HumanDuration(step.At.Sub(before))
		}
		before = step.At
		p.line("%s", strings.TrimRight(fmt.Sprintf("%-10s %s  %-6s %s", step.Name, step.At.UTC().Format(time.RFC3339), since, step.Text), " "))
	}
}

func (p *page) executorFailures(e *v1alpha1.ExecutorStatus) {
	if e == nil || e.Failed == 0 {
		return
	}
	p.paragraph()
	p.line("Executors that failed in this attempt: %d", e.Failed)
	for _, f := range e.Failures {
		p.line("  %s: %s", f.Pod, strings.Trim(f.Reason+": "+oneLine(f.Message), ": "))
	}
}

// attempt writes the result of an attempt.
func (p *page) attempt(a *v1alpha1.AttemptStatus) {
	p.paragraph()
	ran := ""
	if a.StartedAt != nil && a.FinishedAt != nil {
		ran = ranText(a.FinishedAt.Sub(a.StartedAt.Time))
	}
	p.line("Run %d, attempt %d: %s%s", a.Run, a.Attempt, status.AttemptText(a), ran)
	if a.Message != "" {
		p.line("  %s", oneLine(a.Message))
	}
}
