// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package tick

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/cron"
	"github.com/sparkgate/sparkgate/internal/testing/randtest"
)

// TestEveryRunIsPredicted plays random schedules in zones with daylight saving, with outages, restarts, crashes,
// refused writes, clock changes, edits, pauses, and applications that take their time. It compares what becomes of
// every tick, and when, with an oracle that shares no code with Decide and package cron. Both decide whenever something
// happens or a tick is due. One world in a hundred lasts for years.
func TestEveryRunIsPredicted(t *testing.T) {
	outcomes := map[string]int{}
	played := randtest.Each(t, 2000, func(seed uint64) {
		w := newPredicted(t, seed)
		w.play()
		for _, what := range w.done {
			outcomes[what[:min(len(what), len("created at"))]]++
		}
	})
	if !t.Failed() && played >= 1000 && (len(outcomes) != 8 || slices.Min(slices.Collect(maps.Values(outcomes))) < played/4) {
		t.Errorf("%v in %d worlds: the worlds are too quiet", outcomes, played)
	}
}

// fate is the future of an application: it ends at a time on its own, or is gone a while after it was deleted; 0 means
// never. made is the time on the clock when it was created.
type fate struct{ made, ends, gone, hold int64 }

// predicted is a world in which an operator and an oracle follow the same schedule.
type predicted struct {
	t    *testing.T
	r    *rand.Rand
	seed uint64
	// time is the true time in seconds since 1970; ahead is how far the clock is ahead of it.
	time, ahead int64
	typical     int64
	oracle      *oracle
	// down is the time until which no operator runs; since is when the current one started.
	down, since int64
	// restarts reports whether another operator runs after that.
	restarts bool
	o        Observation
	times    *cron.Schedule
	alive    map[string]*fate
	handled  *v1alpha1.HandledSchedule
	done     map[int64]string
	// wake is the true time of the operator's next look; 0 for none.
	wake    int64
	refused map[string]int64
	crashed map[string]bool
	// made are the applications that the operator has created.
	made map[string]bool
}

var zonesWithSwitches = []string{"UTC", "Europe/Zurich", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "America/Sao_Paulo", "Pacific/Apia", "Antarctica/Troll"}

func newPredicted(t *testing.T, seed uint64) *predicted {
	r := rand.New(rand.NewPCG(seed, 14))
	w := &predicted{t: t, r: r, seed: seed, alive: map[string]*fate{}, done: map[int64]string{}, refused: map[string]int64{}, crashed: map[string]bool{}, made: map[string]bool{}}
	s := &v1alpha1.ScheduledSparkApplication{}
	s.Name = "s"
	s.Spec.ConcurrencyPolicy = pick(r, v1alpha1.ConcurrencyForbid, v1alpha1.ConcurrencyAllow, v1alpha1.ConcurrencyReplace)
	s.Spec.CatchUp = pick(r, v1alpha1.CatchUpNone, v1alpha1.CatchUpLast, v1alpha1.CatchUpAll)
	w.o = Observation{Schedule: s}
	w.oracle = &oracle{spec: &s.Spec, alive: map[string]*fate{}, outcome: map[int64]string{}}
	w.edit()
	if r.IntN(3) == 0 {
		s.Spec.StartingDeadline = &metav1.Duration{Duration: time.Duration(r.Int64N(5*w.typical)) * time.Second}
	}
	w.time = time.Date(2007+r.IntN(30), 1, 1, 0, 0, 0, 0, time.UTC).Unix() + r.Int64N(366*86400)
	if _, end := time.Unix(w.time, 0).In(w.oracle.next.zone).ZoneBounds(); !end.IsZero() && end.Unix() < w.time+3*366*86400 {
		w.time = end.Unix() - r.Int64N(3*86400)
	}
	w.since = w.time
	s.CreationTimestamp = metav1.NewTime(time.Unix(w.time, 0))
	w.oracle.settled, w.oracle.looked, w.oracle.minutes = w.time, w.time, w.oracle.next
	w.oracle.minutes.from(w.time)
	return w
}

// edit changes the schedule and its zone.
func (w *predicted) edit() {
	name := pick(w.r, zonesWithSwitches...)
	zone, err := time.LoadLocation(name)
	if err != nil {
		w.t.Fatal(err)
	}
	text, means, typical := randomFields(w.r, zone)
	times, err := cron.Parse(text, name)
	if err != nil {
		w.t.Fatal(err)
	}
	w.o.Schedule.Spec.Schedule, w.o.Schedule.Spec.TimeZone, w.times = text, name, times
	w.oracle.next, w.typical = means, max(60, typical)
}

// play lets things happen, one after the other, and compares operator and oracle after each.
func (w *predicted) play() {
	end, most := w.time+20*86400, 80
	if w.seed%100 == 0 {
		end, most = w.time+2*366*86400, 1000
	}
	var random int64
	for w.time < end && len(w.oracle.outcome) < most && !w.t.Failed() {
		if random <= w.time {
			random = w.time + 1 + w.r.Int64N(4*w.typical)
		}
		w.goOn(random)
		if w.time == random {
			w.happen()
		}
		if w.time < w.down {
			continue
		}
		if w.restarts {
			w.since, w.restarts = w.now(), false
		}
		w.look()
		if !maps.Equal(w.oracle.outcome, w.done) {
			diff := cmp.Diff(w.oracle.outcome, w.done)
			s := w.o.Schedule.Spec
			w.t.Errorf("%q in %s, %s, %s, deadline %v, at %s: what became of ticks (-oracle +operator):\n%s", s.Schedule, s.TimeZone, s.ConcurrencyPolicy, s.CatchUp,
				s.StartingDeadline, time.Unix(w.now(), 0).UTC(), diff)
		}
	}
}

func (w *predicted) now() int64 { return w.time + w.ahead }

// goOn lets time pass until the next thing happens: the given one, the end of an application or of an outage, a tick,
// or what the operator waits for.
func (w *predicted) goOn(random int64) {
	next := random
	consider := func(at int64) {
		if at > w.time {
			next = min(next, at)
		}
	}
	consider(w.down)
	if w.time >= w.down {
		consider(w.wake)
		// A copy looks ahead.
		ahead := *w.oracle.minutes
		if !w.o.Schedule.Spec.Suspend && !w.oracle.mistaken {
			if at := ahead.next(max(w.oracle.looked, w.oracle.settled), next+w.ahead); at != 0 {
				consider(at - w.ahead)
			}
			for _, d := range w.oracle.list {
				consider(d.at - w.ahead)
			}
		}
	}
	for _, until := range w.refused {
		consider(until)
	}
	for _, f := range w.alive {
		consider(f.ends)
		consider(f.gone)
	}
	w.time = next
	for _, all := range []map[string]*fate{w.alive, w.oracle.alive} {
		maps.DeleteFunc(all, func(_ string, f *fate) bool {
			return f.gone != 0 && f.gone <= w.time || f.gone == 0 && f.ends <= w.time
		})
	}
}

// happen changes the world of the operator in one way. The operator looks after it.
func (w *predicted) happen() {
	w.wake = w.time
	switch w.r.IntN(16) {
	case 0, 1:
		w.down, w.restarts = w.time+w.r.Int64N(14*w.typical), true
	case 2:
		w.restarts = true
	// The operator is slow.
	case 3:
		w.down = w.time + w.r.Int64N(3*w.typical)
	case 4:
		w.ahead -= w.r.Int64N(w.typical)
	case 5:
		w.ahead += w.r.Int64N(3 * w.typical)
	case 6:
		w.edit()
	case 7:
		w.o.Schedule.Spec.Suspend = !w.o.Schedule.Spec.Suspend
	case 8:
		w.oracle.mistaken = true
	case 9, 10, 11:
		w.oracle.mistaken = false
	// The operator cannot reach the API server.
	case 12:
		w.down = w.time + w.r.Int64N(30*w.typical)
	case 13:
		w.ahead += w.r.Int64N(30 * w.typical)
	}
}

// look has both decide.
func (w *predicted) look() {
	before := len(w.crashed)
	w.oracle.look(w, w.now(), w.since)
	crashed := len(w.crashed) > before
	for looks := 0; w.decide(); looks++ {
		if looks > 300 {
			w.t.Fatal("does not come to rest")
		}
	}
	if crashed {
		w.down, w.restarts = w.time+w.chance("gap", "", uint64(2*w.typical)), true
	}
}

// decide has the operator decide once, and reports whether there is more to do at once.
func (w *predicted) decide() bool {
	w.o.Now, w.o.Since = time.Unix(w.now(), 0).UTC(), time.Unix(w.since, 0).UTC()
	w.o.Schedule.Status.Handled = w.handled
	if w.o.Times = w.times; w.oracle.mistaken {
		w.o.Times = nil
	}
	w.o.Children = nil
	for name, f := range w.alive {
		w.o.Children = append(w.o.Children, Child{Name: name, Created: time.Unix(f.made, 0), Deleting: f.gone != 0})
	}
	// Ended applications are kept for a while; those that were not recorded must not run again.
	for name := range w.crashed {
		if w.made[name] && w.alive[name] == nil {
			w.o.Children = append(w.o.Children, Child{Name: name, Finished: true})
		}
	}
	d := decideBesideRequest(w.o, w.seed%3 == 0)
	w.wake = 0
	if !d.Look.IsZero() {
		w.wake = (d.Look.UnixNano()+int64(time.Second)-1)/int64(time.Second) - w.ahead
	}
	for _, c := range d.Delete {
		f := w.alive[c.Name]
		f.gone = w.time + f.hold
	}
	if run := d.Create; run != nil && !run.Exists {
		if w.refused[run.Name] > w.time {
			w.wake = w.refused[run.Name]
			return false
		}
		w.alive[run.Name], w.made[run.Name] = w.fateOf(run.Name), true
		w.done[run.At.Unix()] = fmt.Sprintf("created at %d", w.now())
		if w.crashed[run.Name] {
			return false
		}
		if w.chance("lost", run.Name, 5) == 0 {
			return true // the status write has failed
		}
	}
	for _, p := range d.Passed {
		w.done[p.At.Unix()] = p.Reason
	}
	w.handled = &d.Handled
	return d.Again
}

// decideBesideRequest decides while a run is requested that cannot be created. This must not make a difference to the
// ticks.
func decideBesideRequest(o Observation, asked bool) Decision {
	if asked {
		o.Token, o.RefusedRequest = "now", RequestedName("s", "now")
	}
	d := Decide(o)
	if run := d.Create; run != nil && run.Token != "" {
		d.Create, d.Again = nil, false
	}
	return d
}

// chance returns a number below n that depends on the world, on the purpose, and on a name.
func (w *predicted) chance(what, name string, n uint64) int64 {
	h := w.seed
	for _, c := range []byte(what + name) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return int64((h >> 20) % n)
}

func (w *predicted) fateOf(name string) *fate {
	takes := w.chance("takes", name, uint64(w.typical))
	switch w.chance("long", name, 4) {
	case 0:
		takes *= 6
	case 1:
		takes = 1 + takes/10
	}
	return &fate{made: w.now(), ends: w.time + 1 + takes, hold: 1 + w.chance("hold", name, uint64(w.typical))}
}

// isRefused reports whether the API server refuses an application now. It does so for half a minute, for one
// application in eight.
func (w *predicted) isRefused(name string) bool {
	if _, before := w.refused[name]; !before {
		w.refused[name] = 0
		if w.chance("refused", name, 8) == 0 {
			w.refused[name] = w.time + 30
		}
	}
	return w.refused[name] > w.time
}

// crashes reports whether the operator is killed after it has created an application: one in eight, once.
func (w *predicted) crashes(name string) bool {
	if w.crashed[name] || w.chance("crash", name, 8) != 0 {
		return false
	}
	w.crashed[name] = true
	return true
}
