// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package tick

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/cron"
	"github.com/sparkgate/sparkgate/internal/testing/randtest"
)

// TestRandomWorlds plays schedules in virtual time, with an operator that is down for a while, crashes between creating
// and recording, and is late; with clocks that are set back, edits, pauses, and applications that take their time. The
// due minutes are computed without package cron.
func TestRandomWorlds(t *testing.T) {
	runs, passed := 0, 0
	played := randtest.Each(t, 2000, func(seed uint64) {
		w := newRandomWorld(t, seed)
		for range 60 {
			w.step()
		}
		runs, passed = runs+len(w.created), passed+w.passed
	})
	if !t.Failed() && played >= 1000 && (runs < 5*played || passed < played) {
		t.Errorf("%d runs and %d passed over in %d worlds: the worlds are too quiet", runs, passed, played)
	}
}

// randomSchedules are schedules, and the seconds between two ticks: all are multiples since 1970.
var randomSchedules = map[string]int64{"*/5 * * * *": 300, "0 * * * *": 3600, "@every 90s": 90, "@daily": 86400, "0 */6 * * *": 6 * 3600, "@every 7h": 7 * 3600}

type randomWorld struct {
	t *testing.T
	r *rand.Rand
	o Observation
	// times are those of the schedule, and mistaken reports whether it has a mistake.
	times    *cron.Schedule
	mistaken bool
	// handled is the recorded part of the status in the API server.
	handled *v1alpha1.HandledSchedule
	// free is the time before which nothing may be run: the schedule was created, edited or resumed then.
	free time.Time
	// created are the ticks of all applications that ever existed; handed and passed are those that the status has
	// recorded.
	created map[string]time.Time
	handed  map[int64]string
	passed  int
}

func newRandomWorld(t *testing.T, seed uint64) *randomWorld {
	r := rand.New(rand.NewPCG(seed, 7))
	w := &randomWorld{t: t, r: r, created: map[string]time.Time{}, handed: map[int64]string{}}
	now := time.Unix(1_800_000_000+r.Int64N(1_000_000), 0).UTC()
	w.o = Observation{Schedule: &v1alpha1.ScheduledSparkApplication{}, Now: now, Since: now}
	w.o.Schedule.Name = "s"
	w.o.Schedule.CreationTimestamp = metav1.NewTime(now)
	w.free = now
	spec := &w.o.Schedule.Spec
	spec.ConcurrencyPolicy = pick(r, v1alpha1.ConcurrencyForbid, v1alpha1.ConcurrencyAllow, v1alpha1.ConcurrencyReplace)
	spec.CatchUp = pick(r, v1alpha1.CatchUpNone, v1alpha1.CatchUpLast, v1alpha1.CatchUpAll)
	if r.IntN(3) == 0 {
		spec.StartingDeadline = &metav1.Duration{Duration: time.Duration(r.IntN(7200)) * time.Second}
	}
	w.edit()
	return w
}

func pick[T any](r *rand.Rand, all ...T) T { return all[r.IntN(len(all))] }

// edit changes the schedule.
func (w *randomWorld) edit() {
	names := []string{"*/5 * * * *", "0 * * * *", "@every 90s", "@daily", "0 */6 * * *", "@every 7h"}
	text := pick(w.r, names...)
	times, err := cron.Parse(text, "UTC")
	if err != nil {
		w.t.Fatal(err)
	}
	w.o.Schedule.Spec.Schedule, w.times = text, times
	w.o.Times = w.times
	if w.mistaken {
		w.o.Times = nil
	}
}

// step lets something happen, and then lets the operator decide as often as it wants to.
func (w *randomWorld) step() {
	interval := time.Duration(randomSchedules[w.o.Schedule.Spec.Schedule]) * time.Second
	switch w.r.IntN(12) {
	// No operator runs.
	case 0:
		w.o.Now = w.o.Now.Add(time.Duration(w.r.Int64N(int64(14 * interval))))
		w.o.Since = w.o.Now
	case 1:
		w.o.Now = w.o.Now.Add(-time.Duration(w.r.Int64N(int64(interval))))
	case 2:
		w.edit()
	case 3:
		w.o.Schedule.Spec.Suspend = !w.o.Schedule.Spec.Suspend
	case 4, 5, 6:
		w.endOne()
	case 7:
		w.invalidateOne()
	case 8:
		w.correct()
	case 9:
		w.breakOrMend()
	}
	w.o.Now = w.o.Now.Add(time.Duration(w.r.Int64N(int64(interval))))
	w.goes()
	for looks := 0; ; looks++ {
		if looks > 200 {
			w.t.Fatalf("does not come to rest: %+v", Decide(w.o))
		}
		if !w.look() {
			return
		}
	}
}

// endOne ends the oldest application.
func (w *randomWorld) endOne() {
	for i := range w.o.Children {
		if !w.o.Children[i].Finished {
			w.o.Children[i].Finished = true
			return
		}
	}
}

// invalidateOne makes an application one that cannot start, which may count as a failure, and correct lets those start.
func (w *randomWorld) invalidateOne() {
	for i := range w.o.Children {
		if c := &w.o.Children[i]; !c.Finished && !c.Stalled {
			c.Finished, c.Stalled, c.Succeeded = w.r.IntN(2) == 0, true, false
			return
		}
	}
}

// breakOrMend makes a mistake in the template, or corrects it.
func (w *randomWorld) breakOrMend() {
	w.mistaken, w.o.Times = !w.mistaken, nil
	if !w.mistaken {
		w.o.Times = w.times
	}
}

// runs reports whether the schedule is neither suspended nor mistaken.
func (w *randomWorld) runs() bool { return !w.o.Schedule.Spec.Suspend && !w.mistaken }

func (w *randomWorld) correct() {
	for i := range w.o.Children {
		if c := &w.o.Children[i]; c.Stalled {
			c.Finished, c.Stalled = false, false
		}
	}
}

// goes removes deleted applications, and trims the history.
func (w *randomWorld) goes() {
	surplus := map[string]bool{}
	for _, c := range Surplus(&w.o.Schedule.Spec, w.o.Children) {
		surplus[c.Name] = true
	}
	var left []Child
	for _, c := range w.o.Children {
		if !c.Deleting && !surplus[c.Name] {
			left = append(left, c)
		}
	}
	w.o.Children = left
}

// look makes one decision and carries it out, and reports whether there is more to do at once.
func (w *randomWorld) look() bool {
	w.o.Schedule.Status.Handled = w.handled
	before := w.handled
	if before == nil {
		before = &v1alpha1.HandledSchedule{Until: w.o.Schedule.CreationTimestamp, Schedule: w.o.Schedule.Spec.Schedule}
	}
	mistaken := w.mistaken && !w.o.Schedule.Spec.Suspend
	if before.Schedule != w.o.Schedule.Spec.Schedule || before.Paused == w.runs() || before.Mistake != mistaken {
		w.free = later(before.Until.Time, w.o.Now)
	}
	d := Decide(w.o)
	for _, c := range d.Delete {
		for i := range w.o.Children {
			if w.o.Children[i].Name == c.Name {
				w.o.Children[i].Deleting = true
			}
		}
	}
	if run := d.Create; run != nil {
		if run.Exists {
			w.recorded(*run)
		} else {
			w.create(*run)
		}
		w.hand(run.At, "created")
		// A crash before the status is written; the next leader starts a little later.
		if w.r.IntN(4) == 0 {
			w.o.Since = w.o.Now
			return true
		}
	}
	for _, p := range d.Passed {
		w.pass(p, before.Schedule)
	}
	w.checkNothingForgotten(before, &d)
	w.handled = &d.Handled
	return d.Again
}

// create checks that a run may start.
func (w *randomWorld) create(run Run) {
	if !w.isDue(run.At) || run.At.After(w.o.Now) || !w.runs() {
		w.t.Errorf("created %s at %s", run.Name, w.o.Now)
	}
	if !run.At.After(w.free) {
		w.t.Errorf("%s is of the past: nothing before %s may run", run.Name, w.free)
	}
	if deadline := w.o.Schedule.Spec.StartingDeadline; deadline != nil && w.o.Now.Sub(run.At) > deadline.Duration {
		w.t.Errorf("%s starts %s late", run.Name, w.o.Now.Sub(run.At))
	}
	if w.o.Schedule.Spec.CatchUp == v1alpha1.CatchUpNone && !run.At.After(w.o.Since) {
		w.t.Errorf("%s was due while no operator was running, until %s", run.Name, w.o.Since)
	}
	w.createOnce(run)
}

// recorded checks that an application which is only to be recorded exists.
func (w *randomWorld) recorded(run Run) {
	if _, was := w.created[run.Name]; !was {
		w.t.Errorf("%s is recorded and was never created", run.Name)
	}
}

// createOnce creates the application of a run, unless it exists.
func (w *randomWorld) createOnce(run Run) {
	exists := false
	for _, c := range w.o.Children {
		exists = exists || c.Name == run.Name
		if c.Name != run.Name && (c.active() || c.Stalled) && w.o.Schedule.Spec.ConcurrencyPolicy != v1alpha1.ConcurrencyAllow {
			w.t.Errorf("%s is created beside %s", run.Name, c.Name)
		}
	}
	if _, was := w.created[run.Name]; was && !exists {
		w.t.Errorf("%s runs twice", run.Name)
	}
	if !exists {
		w.o.Children = append(w.o.Children, Child{Name: run.Name, Created: w.o.Now, Succeeded: w.r.IntN(2) == 0})
	}
	w.created[run.Name] = run.At
}

// pass checks that a tick may be passed over. If the schedule was changed, it is one of the schedule before.
func (w *randomWorld) pass(p Passed, before string) {
	late := p.Reason == v1alpha1.MissedScheduleChanged || p.Reason == v1alpha1.MissedInvalidSpec
	if late && p.At.Unix()%randomSchedules[before] != 0 || !late && !w.isDue(p.At) || p.Reason == v1alpha1.MissedConcurrencyForbidden && w.o.Schedule.Spec.ConcurrencyPolicy != v1alpha1.ConcurrencyForbid {
		w.t.Errorf("%s is passed over: %s", p.At, p.Reason)
	}
	w.passed++
	w.hand(p.At, p.Reason)
}

// hand records what became of a tick. Each tick may have only one result.
func (w *randomWorld) hand(at time.Time, what string) {
	key := at.Unix()
	if before, known := w.handed[key]; known && before != what {
		w.t.Errorf("%s: first %s, then %s", at, before, what)
	}
	w.handed[key] = what
}

// checkNothingForgotten checks that each minute that was due between two records was created or passed over.
func (w *randomWorld) checkNothingForgotten(before *v1alpha1.HandledSchedule, d *Decision) {
	from := before.Until.Time
	if from.Before(w.free) {
		from = w.free
	}
	interval := randomSchedules[w.o.Schedule.Spec.Schedule]
	for at := (from.Unix()/interval + 1) * interval; at <= d.Handled.Until.Unix(); at += interval {
		if _, known := w.handed[at]; !known && time.Unix(at, 0).After(w.free) {
			w.t.Errorf("%s was due, and nothing became of it (handled from %s to %s)", time.Unix(at, 0).UTC(), from, d.Handled.Until)
			return
		}
	}
}

func (w *randomWorld) isDue(at time.Time) bool {
	return at.Unix()%randomSchedules[w.o.Schedule.Spec.Schedule] == 0
}

func (w *randomWorld) String() string {
	return fmt.Sprintf("%s %s %s at %s", w.o.Schedule.Spec.Schedule, w.o.Schedule.Spec.ConcurrencyPolicy, w.o.Schedule.Spec.CatchUp, w.o.Now)
}
