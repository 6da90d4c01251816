// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package printer

import (
	"fmt"
	"io"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/cron"
	"github.com/sparkgate/sparkgate/internal/job/tick"
)

// Schedule is a schedule whose next times are printed.
type Schedule struct {
	// Object is the schedule; its namespace may be empty. Its status is that of the cluster, or empty.
	Object *v1alpha1.ScheduledSparkApplication
	// Times are the schedule's times; nil if the schedule has a mistake.
	Times *cron.Schedule
	// Mistakes keep the schedule from running, Warnings do not. They are whole sentences.
	Mistakes, Warnings []string
	// From is the start of the list, and Count its length.
	From  time.Time
	Count int
	// Silent is the time until which nothing is due because the operator's clock was once ahead, as seen at Now; usually
	// zero.
	Silent, Now time.Time
}

// WriteSchedule writes the next times of a schedule as text for a terminal.
func WriteSchedule(out io.Writer, s Schedule) error {
	p := &page{}
	p.line("%s: %q in %s", s.name(), s.Object.Spec.Schedule, Zone(&s.Object.Spec))
	for _, mistake := range s.Mistakes {
		p.line("%-10s %s", "Mistake", mistake)
	}
	for _, warning := range s.Warnings {
		p.line("%-10s %s", "Warning", warning)
	}
	if len(s.Mistakes) > 0 || s.Times == nil {
		p.line("%-10s nothing, until this is corrected", "Runs")
		return p.end(out, "")
	}
	if s.Object.Spec.Suspend {
		p.line("%-10s nothing is run at these times until spec.suspend is false", "Suspended")
	}
	if strings.HasPrefix(s.Object.Spec.Schedule, "@every") {
		p.line("%-10s the interval counts from 1970-01-01T00:00:00Z, not from when the schedule was created", "Anchor")
	}
	p.line("%-10s %s", "Overlap", Overlap(&s.Object.Spec))
	p.line("%-10s %s", "Catch-up", CatchUp(&s.Object.Spec))
	p.state(s)
	p.table(s.rows())
	return p.end(out, "")
}

func (s Schedule) name() string {
	if s.Object.Namespace == "" {
		return s.Object.Name
	}
	return s.Object.Namespace + "/" + s.Object.Name
}

// Zone returns the time zone of a schedule; UTC if it names none.
func Zone(spec *v1alpha1.ScheduledSparkApplicationSpec) string {
	if spec.TimeZone == "" {
		return "UTC"
	}
	return spec.TimeZone
}

// Overlap describes what happens when the schedule is due while an application of it has not finished.
func Overlap(spec *v1alpha1.ScheduledSparkApplicationSpec) string {
	within := ""
	if spec.StartingDeadline != nil {
		within = short(spec.StartingDeadline)
	}
	switch {
	case spec.ConcurrencyPolicy == v1alpha1.ConcurrencyAllow:
		return "Allow: a run starts beside those that have not finished"
	case spec.ConcurrencyPolicy == v1alpha1.ConcurrencyReplace && within != "":
		return "Replace: a run deletes those that have not finished, and starts when they are gone; it is missed if that takes more than " + within
	case spec.ConcurrencyPolicy == v1alpha1.ConcurrencyReplace:
		return "Replace: a run deletes those that have not finished, and starts when they are gone"
	case within != "":
		return "Forbid: a run that is due while another one has not finished waits for it, and is missed after " + within
	}
	return "Forbid: a run that is due while another one has not finished is missed"
}

// CatchUp describes what happens to runs that were due while no operator was running.
func CatchUp(spec *v1alpha1.ScheduledSparkApplicationSpec) string {
	late := ""
	if spec.StartingDeadline != nil {
		late = ", unless it is more than " + short(spec.StartingDeadline) + " late"
	}
	switch spec.CatchUp {
	case v1alpha1.CatchUpNone:
		return "None: what was due while no operator was running is not run"
	case v1alpha1.CatchUpAll:
		return "All: of what was due while no operator was running, the last ten are run, oldest first" + strings.Replace(late, "it is", "one is", 1)
	}
	return "Last: of what was due while no operator was running, the last one is run" + late
}

// short returns a duration without trailing zero units: 1h instead of 1h0m0s.
func short(d *metav1.Duration) string {
	text := d.Duration.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// state writes the status of a schedule.
func (p *page) state(s Schedule) {
	status := &s.Object.Status
	if status.LastRunTime != "" {
		p.line("%-10s %s", "Last run", status.LastRunTime)
	}
	if status.ActiveCount > 0 {
		p.line("%-10s %d: %s", "Active", status.ActiveCount, strings.Join(status.Active, ", "))
	}
	p.ended("Succeeded", status.LastSuccessfulRun)
	p.ended("Failed", status.LastFailedRun)
	for i, m := range status.Missed {
		p.line("%-10s %d (%s), the last one due at %s", first(i, "Missed"), m.Count, m.Reason, m.Last)
	}
	p.optional("Requested", PastTimes(status.RunFor))
	if !s.Silent.IsZero() {
		p.line("%-10s %s", "Silent", Silent(s.Silent, s.Now))
	}
}

// PastTimes describes what has become of a request to run past times; empty if there is none.
func PastTimes(r *v1alpha1.RunForStatus) string {
	switch {
	case r == nil:
		return ""
	case len(r.Pending) > 0:
		return fmt.Sprintf("past times: %d are pending, the first of them %s; %d were created", len(r.Pending), r.Pending[0], r.Created)
	case r.Result == v1alpha1.RunForCreated:
		return fmt.Sprintf("past times: %d were created", r.Created)
	}
	return fmt.Sprintf("past times: %s: %s", r.Result, oneLine(r.Message))
}

// Silent says why nothing of a schedule is due until a time, and what to do about it now.
func Silent(until, now time.Time) string {
	remedy := "delete the schedule and create it again"
	if until.Sub(now) > tick.ClockJump {
		remedy = "suspend the schedule and resume it"
	}
	return fmt.Sprintf("nothing is due until %s: the operator has followed the schedule until then, by a clock that was ahead; %s", until.UTC().Format(time.RFC3339), remedy)
}

// ended writes the last run of a schedule that ended in the given way; nothing if there is none.
func (p *page) ended(how string, run *v1alpha1.ScheduledRun) {
	if run != nil {
		p.line("%-10s %s", how, strings.TrimSuffix(fmt.Sprintf("%s at %s: %s", run.Name, run.Time, oneLine(run.Message)), ": "))
	}
}

// rows returns the table of the next times.
func (s Schedule) rows() [][]string {
	rows := [][]string{{"LOCAL TIME", "UTC", "CLOCKS"}}
	previous := s.Times.In(s.From)
	// A run that is due exactly at From is listed as well.
	at := s.From.Add(-1)
	if s.Silent.After(at) {
		at = s.Silent
	}
	for range s.Count {
		if at = s.Times.Next(at); at.IsZero() {
			break
		}
		o := s.Times.Describe(at)
		rows = append(rows, []string{o.At.Format("Mon 2006-01-02 15:04:05 -07:00"), o.At.UTC().Format(time.RFC3339), clocks(previous, o)})
		previous = o.At
	}
	return rows
}

// minute is the format of times of day.
const minute = "15:04"

// clocks describes the change of clocks, if any, at an instant at which a schedule is due; previous is the instant
// before it in the list.
func clocks(previous time.Time, o cron.Occurrence) string {
	var parts []string
	first, last := o.Skipped[0], o.Skipped[1]
	_, before := previous.Zone()
	change, _ := cron.ChangeBefore(o.At)
	switch {
	case first.IsZero() && change.After == before || change.At.IsZero():
	case change.Before != before:
		parts = append(parts, fmt.Sprintf("clocks have changed more than once since the time before, at last on %s from %s to %s",
			change.From.Format("2006-01-02"), change.From.Format(minute), change.To.Format(minute)))
	case change.To.After(change.From):
		parts = append(parts, fmt.Sprintf("clocks go forward from %s to %s%s", change.From.Format(minute), change.To.Format(minute), onDay(change, o.At)))
	default:
		parts = append(parts, fmt.Sprintf("clocks go back from %s to %s%s", change.From.Format(minute), change.To.Format(minute), onDay(change, o.At)))
	}
	switch {
	case first.IsZero():
	case first.Equal(last):
		parts = append(parts, first.Format(minute)+" is skipped and runs at the end of the gap")
	default:
		parts = append(parts, fmt.Sprintf("%s to %s are skipped and run once, at the end of the gap", first.Format(minute), last.Format(minute)))
	}
	switch local := o.At.Format(minute); o.Repeat {
	case cron.FirstOnly:
		parts = append(parts, local+" occurs twice and runs the first time")
	case cron.FirstOfTwo:
		parts = append(parts, local+" occurs twice: the first time")
	case cron.SecondOfTwo:
		parts = append(parts, local+" occurs twice: the second time")
	case cron.NotRepeated:
	}
	return strings.Join(parts, "; ")
}

// onDay names the day of a change; empty if it is the day of the given instant.
func onDay(change cron.Change, at time.Time) string {
	if change.To.Format(time.DateOnly) == at.Format(time.DateOnly) {
		return ""
	}
	return " on " + change.To.Format("Mon "+time.DateOnly)
}
