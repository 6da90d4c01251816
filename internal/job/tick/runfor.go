// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package tick

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/cron"
)

// maxRequest is the length in bytes up to which a request to run past times is read and repeated in the status: a
// hundred times, and something that distinguishes the request from others.
const maxRequest = 4096

// PastTimes returns the times that a request names, oldest first and each once. It returns an error if one of them
// cannot be run: nothing of such a request is.
func PastTimes(request string, times *cron.Schedule, now time.Time) ([]time.Time, error) {
	if len(request) > maxRequest {
		return nil, fmt.Errorf("the request has %d bytes, of at most %d: name fewer times", len(request), maxRequest)
	}
	named, _, _ := strings.Cut(request, "#")
	words := strings.FieldsFunc(named, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	switch {
	case len(words) == 0:
		return nil, fmt.Errorf("the request names no time: write one such as %s", exampleTime)
	case len(words) > v1alpha1.MaxRunFor:
		return nil, fmt.Errorf("the request names %d times, of at most %d: request the others when these have run", len(words), v1alpha1.MaxRunFor)
	}
	var all []time.Time
	for _, word := range words {
		at, err := ParseTime(word, times)
		if err == nil {
			err = isPast(at, times, now)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, times.In(at))
	}
	slices.SortFunc(all, time.Time.Compare)
	return slices.CompactFunc(all, time.Time.Equal), nil
}

const exampleTime = "2026-11-23T02:30:00+01:00, or 2026-11-23T02:30 in the time zone of the schedule"

// ParseTime returns the instant that a user has written. A time without an offset is a local time of the schedule.
func ParseTime(text string, times *cron.Schedule) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05", time.DateOnly} {
		if local, err := time.Parse(layout, text); err == nil {
			return times.At(local), nil
		}
	}
	const longest = 40
	return time.Time{}, fmt.Errorf("%q is not a time: write one such as %s", text[:min(len(text), longest)], exampleTime)
}

// isPast returns an error unless the schedule was due at that time.
func isPast(at time.Time, times *cron.Schedule, now time.Time) error {
	text := times.In(at).Format(time.RFC3339)
	switch {
	case at.Unix() < 0:
		return fmt.Errorf("%s is before 1970", text)
	case at.After(now):
		return fmt.Errorf("%s is in the future: the schedule runs it when it is due", text)
	case times.Fires(at):
		return nil
	}
	var near []string
	for _, other := range []time.Time{times.Prev(at), times.Next(at)} {
		if !other.IsZero() && other.Unix() >= 0 && !other.After(now) {
			near = append(near, other.Format(time.RFC3339))
		}
	}
	if len(near) == 0 {
		return fmt.Errorf("%s is not a time of the schedule, which was not due until now", text)
	}
	return fmt.Errorf("%s is not a time of the schedule: choose %s", text, strings.Join(near, " or "))
}

// RequestHash returns what the applications of a request have as an annotation.
func RequestHash(request string) string {
	sum := sha256.Sum256([]byte(request))
	return hex.EncodeToString(sum[:8])
}

// Recorded returns how a request is repeated in the status.
func Recorded(request string) string {
	return strings.ToValidUTF8(request[:min(len(request), maxRequest)], "")
}

// handleRunFor deals with a change of the annotation that requests past times, and reports whether there is one. It is
// recorded before anything is created for it. While the schedule has a mistake, a request waits.
func handleRunFor(st *state) bool {
	before, request := st.out.RunFor, Recorded(st.o.Request)
	switch {
	case st.o.Times == nil, before == nil && request == "", before != nil && before.Request == request:
		return false
	case before != nil:
		st.out.Withdrawn = before.Pending
	}
	st.out.RunFor = nil
	if request != "" {
		acceptNew(st, request)
	}
	return true
}

// acceptNew records a new request. An application that has the hash of the request already was created for an earlier
// request with the same text.
func acceptNew(st *state, request string) {
	r := &v1alpha1.RunForStatus{Request: request}
	st.out.RunFor = r
	all, err := PastTimes(st.o.Request, st.o.Times, st.o.Now)
	if err != nil {
		r.Result, r.Message = v1alpha1.RunForRefused, err.Error()
		return
	}
	for _, at := range all {
		r.Pending = append(r.Pending, at.Format(time.RFC3339))
	}
	for _, at := range all {
		if c := st.o.child(Name(st.o.Schedule.Name, at)); c != nil && c.Request == RequestHash(request) {
			skipPast(st, at)
		}
	}
}

// handleCreatedPast records the application for the oldest pending time, if it was created because of the request, and
// reports whether there is one.
func handleCreatedPast(st *state) bool {
	run := pastRun(st)
	if run == nil {
		return false
	}
	c := st.o.child(run.Name)
	if run.Exists = c != nil && c.Request == run.Request; run.Exists {
		createPast(st, run)
	}
	return run.Exists
}

// runPast deals with the oldest pending time. It never deletes anything: a run of the past that stops another one, or
// the one of the day before it, would leave a gap that is as large as the one that it fills. So it waits, unless runs
// may overlap, for everything that runs or may start to run.
func runPast(st *state) {
	run := pastRun(st)
	if run == nil || st.out.Create != nil || st.out.Again || len(st.out.Delete) > 0 {
		return
	}
	for ; run != nil && isPassedOver(st, run); run = pastRun(st) {
		if c := st.o.child(run.Name); c != nil {
			st.out.Skips = append(st.out.Skips, *c)
		}
		skipPast(st, run.At)
	}
	switch {
	case st.out.Again: // which is recorded first
	case st.o.exists(run.Name): // a user, or the history limits, have made way for it
		awaitFor(st, st.o.child(run.Name))
	case st.o.isFree(run.Name):
		createPast(st, run)
	default:
		awaitFor(st, st.o.inTheWayOf(run.Name))
	}
}

// isPassedOver reports whether a pending time is skipped because of an application that has its name and stays.
func isPassedOver(st *state, run *Run) bool {
	if c := st.o.child(run.Name); c != nil {
		return !c.Deleting
	}
	return st.o.Taken[run.Name]
}

// pastRun returns the run of the oldest pending time; nil if none is pending, or if the schedule has a mistake.
func pastRun(st *state) *Run {
	if st.out.RunFor == nil || st.o.Times == nil {
		return nil
	}
	for _, text := range st.out.RunFor.Pending {
		if at, err := time.Parse(time.RFC3339, text); err == nil {
			return &Run{Name: Name(st.o.Schedule.Name, at), At: st.o.Times.In(at), Request: RequestHash(st.out.RunFor.Request)}
		}
	}
	return nil
}

// createPast has the application of a pending time created.
func createPast(st *state, run *Run) {
	st.create(run)
	st.out.RunFor = without(st, run.At)
	st.out.RunFor.Created++
	conclude(st)
}

// skipPast passes over a pending time that has an application already.
func skipPast(st *state, at time.Time) {
	st.out.Again = true
	r := without(st, at)
	r.Skipped = append(r.Skipped, at.Format(time.RFC3339))
	first, err := time.Parse(time.RFC3339, r.Skipped[0])
	if err != nil {
		first = at
	}
	name := Name(st.o.Schedule.Name, first)
	r.Message = fmt.Sprintf("application %s exists: delete it before the request, or run it again with sparkctl rerun %[1]s", name)
	if others := len(r.Skipped) - 1; others > 0 {
		r.Message += fmt.Sprintf("; the same holds for %d others", others)
	}
	st.out.RunFor = r
	conclude(st)
}

// without returns the record of the request without a pending time.
func without(st *state, at time.Time) *v1alpha1.RunForStatus {
	r := st.out.RunFor.DeepCopy()
	r.Pending = slices.DeleteFunc(r.Pending, func(text string) bool {
		pending, err := time.Parse(time.RFC3339, text)
		return err != nil || pending.Equal(at)
	})
	return r
}

// conclude sets the result once nothing is pending.
func conclude(st *state) {
	switch r := st.out.RunFor; {
	case len(r.Pending) > 0:
	case len(r.Skipped) > 0:
		r.Result = v1alpha1.RunForSkipped
	default:
		r.Result = v1alpha1.RunForCreated
	}
}

// awaitFor records what the oldest pending time waits for, unless something else waits before it.
func awaitFor(st *state, c *Child) {
	if st.out.Waits == nil {
		st.out.Waits, st.out.PastWaits = c, true
	}
}
