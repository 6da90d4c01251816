// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// TestLoads: whatever the rules, the quota is fully used while an application waits. Where no work is lost by
// preemption, the makespan hardly exceeds the bound. The test prints the table of docs/performance.md:
//
//	go test ./queueing/embedded/simulator -run TestLoads -v
func TestLoads(t *testing.T) {
	t.Parallel()
	none, reclaim := config.Preemption{}, config.Preemption{Reclaim: config.PreemptAny}
	both := config.Preemption{Reclaim: config.PreemptAny, Within: config.PreemptLowerPriority} // the rules of Kueue's configurations
	tests := map[string]struct {
		load  string
		rules config.Preemption
		// within is the largest makespan, as a multiple of the bound.
		within float64
	}{
		"baseline, no preemption":           {load: "baseline", rules: none, within: 1.05},
		"baseline, reclaim":                 {load: "baseline", rules: reclaim, within: 1.05},
		"large-scale, no preemption":        {load: "large-scale", rules: none, within: 1.05},
		"large-scale, reclaim and priority": {load: "large-scale", rules: both, within: 1.05},
		// Borrowing applications make way for those within their quota, and small ones that could start again at once
		// are not preempted. So some of the large ones, which arrive last and run for 1 s of 4.5, start later than if
		// they could take that quota first.
		"large-scale, reclaim": {load: "large-scale", rules: reclaim, within: 1.12},
		// Every 1.2 s each queue gets a large application, which preempts the others and runs for 1 s on all cores. In
		// the remaining 0.2 s no medium application, which is next in order, can finish. An engine that follows the
		// rules loses an eighth of all work.
		"baseline, reclaim and priority": {load: "baseline", rules: both, within: 1.16},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := loads[tc.load]
			got, err := l.play(tc.rules)
			if err != nil {
				t.Fatal(err)
			}
			_, bound := l.bounds()
			t.Log(got.row(name, l))
			if got.Unfinished > 0 {
				t.Errorf("%d wait for ever", got.Unfinished)
			}
			if inSeconds(got.Makespan) > tc.within*inSeconds(bound) {
				t.Errorf("the last one is through at %s, which is more than %g times %s", got.Makespan, tc.within, bound)
			}
			if got.busy < 0.95 {
				t.Errorf("%.1f %% of the quota is used while somebody waits, want 95 %%", 100*got.busy)
			}
		})
	}
}

// TestLoadsHaveTheNumbers: the loads have the right numbers of queues and applications and the right amount of work.
func TestLoadsHaveTheNumbers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		queues, arrivals int
		work, arriving   time.Duration
	}{
		"baseline":    {queues: 30, arrivals: 15_000, work: 66 * time.Second, arriving: 66_920 * time.Millisecond},
		"large-scale": {queues: 1000, arrivals: 50_000, work: 4025 * time.Millisecond, arriving: 4538 * time.Millisecond},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := loads[name]
			s := l.scenario(config.Preemption{})
			if got := len(s.Queues) - l.cohorts; got != tc.queues || len(s.Arrivals) != tc.arrivals {
				t.Errorf("%d queues and %d arrivals, want %d and %d", got, len(s.Arrivals), tc.queues, tc.arrivals)
			}
			if work, arriving := l.bounds(); work != Time(tc.work) || arriving != Time(tc.arriving) {
				t.Errorf("bounds %s and %s, want %s and %s", work, arriving, tc.work, tc.arriving)
			}
		})
	}
}

// tally is what came of a load.
type tally struct {
	Summary
	// waits are the waits of each class, sorted.
	waits map[string][]Time
	// busy is the part of the quota that was used while an application in the cohort waited. inVain is the part of all
	// work that was lost by preemption.
	busy, inVain float64
}

// counter computes the tally from the events.
type counter struct {
	arrivals map[string]*Arrival
	// admitted maps each application to its last admission. waiting are the applications with the verdict Waiting.
	admitted map[string]Time
	waiting  map[string]bool
	waits    map[string][]Time
	cohorts  map[string]*cohort
	// run and lost are in cores times time.
	run, lost float64
}

// cohort is the current state of one tree, in cores.
type cohort struct {
	since         Time
	used, waiting int64
	// spent and offered are cores times time, summed while an application waits.
	spent, offered float64
}

// play plays the load with the real engine.
func (l load) play(rules config.Preemption) (tally, error) {
	s := l.scenario(rules)
	c := &counter{
		arrivals: map[string]*Arrival{}, admitted: map[string]Time{}, waiting: map[string]bool{},
		waits: map[string][]Time{}, cohorts: map[string]*cohort{},
	}
	for i := range s.Arrivals {
		c.arrivals[s.Arrivals[i].Ask.Key.String()] = &s.Arrivals[i]
	}
	summary, err := Run(s, func(e Event) error {
		name, _, _ := strings.Cut(e.Queue, ".")
		if c.cohorts[name] == nil {
			c.cohorts[name] = &cohort{}
		}
		c.cohorts[name].pass(e.T, l.nominal*int64(l.queues))
		c.see(e, c.cohorts[name])
		return nil
	})
	out := tally{Summary: summary, waits: c.waits, inVain: c.lost / c.run}
	var spent, offered float64
	for _, at := range c.cohorts {
		spent, offered = spent+at.spent, offered+at.offered
	}
	out.busy = spent / offered
	for _, w := range out.waits {
		slices.Sort(w)
	}
	return out, err
}

// pass advances the time of a cohort with that many cores.
func (c *cohort) pass(now Time, cores int64) {
	if c.waiting > 0 {
		c.spent += float64(now-c.since) * float64(c.used)
		c.offered += float64(now-c.since) * float64(cores)
	}
	c.since = now
}

// see counts one event of a cohort.
func (c *counter) see(e Event, at *cohort) {
	a := c.arrivals[e.App]
	switch e.Event {
	case Admitted:
		at.used += coresOf(a)
		c.admitted[e.App] = e.T
		c.setWaiting(e.App, at, false)
	case Waiting:
		c.setWaiting(e.App, at, true)
	case Preempted:
		c.lost += c.stop(e, at)
	case Finished:
		c.stop(e, at)
		class := a.Ask.Key.Namespace
		c.waits[class] = append(c.waits[class], c.admitted[e.App]-Time(a.At))
	}
}

// setWaiting records whether an application waits.
func (c *counter) setWaiting(app string, at *cohort, waits bool) {
	switch {
	case waits && !c.waiting[app]:
		at.waiting++
	case !waits && c.waiting[app]:
		at.waiting--
	}
	c.waiting[app] = waits
}

// stop counts the work of an application that stops, and returns it.
func (c *counter) stop(e Event, at *cohort) float64 {
	cores := coresOf(c.arrivals[e.App])
	at.used -= cores
	ran := float64(e.T-c.admitted[e.App]) * float64(cores)
	c.run += ran
	return ran
}

// row returns a row of the table in docs/performance.md.
func (got tally) row(name string, l load) string {
	work, bound := l.bounds()
	var means, most []string
	for _, c := range l.classes {
		w := got.waits[c.name]
		means = append(means, fmt.Sprintf("%.1f", inSeconds(mean(w))))
		most = append(most, fmt.Sprintf("%.1f", inSeconds(nearestRank(w, 95))))
	}
	return fmt.Sprintf("| %s | %.2f s | %.2f | %.3f | %.0f %% | %s | %s | %d | %.1f %% |", name, inSeconds(got.Makespan),
		inSeconds(got.Makespan)/inSeconds(work), inSeconds(got.Makespan)/inSeconds(bound), 100*got.busy,
		strings.Join(means, " / "), strings.Join(most, " / "), got.Preemptions, 100*got.inVain)
}

func inSeconds(t Time) float64 { return time.Duration(t).Seconds() }

func mean(waits []Time) Time {
	var sum Time
	for _, w := range waits {
		sum += w
	}
	return sum / Time(max(1, len(waits)))
}
