// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/heap"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// epoch is the virtual time 0.
var epoch = time.Unix(0, 0).UTC()

// Run simulates a scenario to its end, when nothing runs and nothing more changes or arrives. It calls emit with each
// event in order, and stops if emit returns an error. It also returns an error if a virtual time overflows, or if
// askers preempt each other endlessly.
func Run(s Scenario, emit func(Event) error) (Summary, error) {
	return run(s, embedded.New(), emit)
}

func run(scenario Scenario, e engine, emit func(Event) error) (Summary, error) {
	s := newSimulation(scenario, e, emit)
	s.change(Change{})
	for {
		next, more := s.next()
		if !more {
			return s.summary(), nil
		}
		s.meter.advance(next - s.now)
		s.now = next
		s.engine.Advance(epoch.Add(time.Duration(next)))
		if err := s.step(); err != nil {
			return Summary{}, err
		}
	}
}

// simulation is the state of one run of a scenario.
type simulation struct {
	engine engine
	emit   func(Event) error
	now    Time
	// scenario holds the arrivals by their places in the scenario.
	scenario []Arrival
	// apps holds the askers that have arrived and not ended, by place, which is also the UID of their keys. Places of
	// askers created by schedules follow those of the scenario. Other elements are nil, because of a million arrivals
	// few are present at the same time.
	apps []*app
	// arrivals are the places of the arrivals still to come, and changes the changes still to come, both in order.
	arrivals []int
	changes  []Change
	// schedules create askers.
	schedules []*schedule
	// completions are the completions of running askers. Those of admissions that were lost are skipped.
	completions heap.Heap[completion]
	// verdictChanged are the askers whose verdict has changed at this instant. It may contain duplicates.
	verdictChanged []*app
	configuration  configuration
	meter          *meter

	makespan    Time
	waits       []Time
	preemptions int
	deleted     int
}

// app is one asker.
type app struct {
	*Arrival
	// place is the place in the scenario, or after it for an asker created by a schedule.
	place int
	ask   queueing.Ask
	// schedule is the schedule that created the asker; nil for an arrival of the scenario.
	schedule *schedule
	// deleted is true if its schedule has deleted the asker.
	deleted bool
	runs    bool
	// admitted is when the asker was last admitted, and charges what it uses while it runs.
	admitted Time
	charges  []quota.Amount
	// lastKind and lastReason are those of the last event about why the asker is pending. They are empty if it has not
	// been pending since it was last admitted.
	lastKind   Kind
	lastReason string
	// preemptions counts how often the asker was preempted at the instant preemptedAt.
	preemptions int
	preemptedAt Time
}

func newSimulation(in Scenario, e engine, emit func(Event) error) *simulation {
	s := &simulation{
		engine: e, emit: emit, scenario: in.Arrivals, apps: make([]*app, len(in.Arrivals)), arrivals: make([]int, len(in.Arrivals)),
		changes: slices.Clone(in.Changes), configuration: newConfiguration(in), meter: &meter{cells: map[quota.Cell]*cell{}, parents: map[string]string{}},
		completions: heap.Heap[completion]{Before: completion.before},
	}
	for _, each := range in.Schedules {
		s.schedules = append(s.schedules, &schedule{Schedule: each})
	}
	for i := range s.arrivals {
		s.arrivals[i] = i
	}
	slices.SortFunc(s.arrivals, func(a, b int) int {
		return cmp.Or(cmp.Compare(in.Arrivals[a].At, in.Arrivals[b].At), cmp.Compare(a, b))
	})
	slices.SortStableFunc(s.changes, func(a, b Change) int { return cmp.Compare(a.At, b.At) })
	return s
}

// arrive adds an arriving asker at a place that is free.
func (s *simulation) arrive(arrival *Arrival, place int) *app {
	a := &app{Arrival: arrival, place: place, ask: arrival.Ask}
	a.ask.Key.UID = fmt.Sprintf("%010d", place)
	a.ask.Run, a.ask.Attempt, a.ask.QueuedAt = 1, 1, epoch.Add(a.At)
	s.apps[place] = a
	return a
}

// next returns when something is due next, or false if nothing is.
func (s *simulation) next() (at Time, more bool) {
	for len(s.completions.Items) > 0 && s.completions.Items[0].isStale() {
		s.completions.Pop()
	}
	at = math.MaxInt64
	if len(s.completions.Items) > 0 {
		at, more = s.completions.Items[0].at, true
	}
	if len(s.changes) > 0 {
		at, more = min(at, Time(s.changes[0].At)), true
	}
	if len(s.arrivals) > 0 {
		at, more = min(at, Time(s.scenario[s.arrivals[0]].At)), true
	}
	for _, each := range s.schedules {
		if each.waits() {
			at, more = min(at, each.due(s.now)), true
		}
	}
	return at, more
}

// step handles everything that happens now, until nothing changes, and then emits why askers are pending.
func (s *simulation) step() error {
	for moved := true; moved; {
		if err := s.handleEvents(); err != nil {
			return err
		}
		decisions := s.engine.Cycle(0)
		for _, d := range decisions {
			if err := s.admit(d); err != nil {
				return err
			}
		}
		evicted, err := s.evict()
		if err != nil {
			return err
		}
		next, more := s.next()
		moved = len(decisions) > 0 || evicted || more && next == s.now
	}
	return s.emitPending()
}

// handleEvents handles what is due now: completions, changes, arrivals and schedules, in this order.
func (s *simulation) handleEvents() error {
	for len(s.completions.Items) > 0 && s.completions.Items[0].at == s.now {
		if end := s.completions.Pop(); !end.isStale() {
			if err := s.finish(end.app); err != nil {
				return err
			}
		}
	}
	for ; len(s.changes) > 0 && Time(s.changes[0].At) == s.now; s.changes = s.changes[1:] {
		s.change(s.changes[0])
	}
	for ; len(s.arrivals) > 0 && Time(s.scenario[s.arrivals[0]].At) == s.now; s.arrivals = s.arrivals[1:] {
		s.engine.Submit(s.arrive(&s.scenario[s.arrivals[0]], s.arrivals[0]).ask)
	}
	return s.followSchedules()
}

// change applies a change to the configuration of the engine and the meter.
func (s *simulation) change(c Change) {
	s.configuration.apply(c)
	queues := sorted(s.configuration.queues)
	s.engine.Configure(queues, sorted(s.configuration.flavors))
	s.meter.configure(queues, s.running)
}

// running calls yield with what each running asker holds.
func (s *simulation) running(yield func(queue string, charges []quota.Amount)) {
	for _, a := range s.apps {
		if a != nil && a.runs {
			yield(a.ask.Queue, a.charges)
		}
	}
}

// app returns an asker that has arrived, or nil if it has ended.
func (s *simulation) app(key queueing.Key) *app {
	place, _ := strconv.Atoi(key.UID)
	return s.apps[place]
}

// event returns an event about an asker at the current time.
func (s *simulation) event(a *app, kind Kind) Event {
	return Event{T: s.now, Event: kind, App: a.ask.Key.String(), Queue: a.ask.Queue}
}

func (s *simulation) admit(d embedded.Decision) error {
	a := s.app(d.Key)
	s.engine.Confirm(d.Key, d.Grant.Run, d.Grant.Attempt)
	if s.now > math.MaxInt64-Time(a.RunFor) {
		return fmt.Errorf("%s would end after more than %s, which is the end of virtual time; shorten runFor", d.Key, Time(math.MaxInt64))
	}
	a.runs, a.admitted, a.charges, a.lastKind, a.lastReason = true, s.now, chargesOf(d.Grant), "", ""
	s.meter.add(a.ask.Queue, a.charges)
	s.completions.Push(completion{at: s.now + Time(a.RunFor), app: a, attempt: a.ask.Attempt})
	e := s.event(a, Admitted)
	e.Flavors = map[string]string{}
	for _, set := range d.Grant.PodSets {
		e.Flavors[set.Name] = set.Flavor
	}
	return s.emit(e)
}

// release releases the grant of an asker.
func (s *simulation) release(a *app) {
	s.engine.Release(a.ask.Key)
	s.meter.remove(a.ask.Queue, a.charges)
	a.runs, a.charges = false, nil
	a.ask.Attempt++ // invalidates the completion and the eviction of this admission
}

func (s *simulation) finish(a *app) error {
	s.release(a)
	s.makespan = s.now
	s.meter.closeInterval()
	s.waits = append(s.waits, a.admitted-Time(a.At))
	s.apps[a.place] = nil
	a.schedule.noteEnd(a)
	return s.emit(s.event(a, Finished))
}

// maxPreemptionsPerInstant is how often an asker may be preempted at one instant. It was admitted again each time, so
// more than that would never end.
const maxPreemptionsPerInstant = 100

// evict releases the grants that the engine reclaims, in the order of the scenario, and reports whether there were any.
func (s *simulation) evict() (bool, error) {
	changed := s.changed()
	s.verdictChanged = append(s.verdictChanged, changed...)
	evicted := false
	for _, a := range changed {
		if !a.runs {
			continue
		}
		if eviction := s.engine.Eviction(a.ask.Key, a.ask.Run, a.ask.Attempt); eviction != nil {
			evicted = true
			if err := s.preempt(a, eviction); err != nil {
				return false, err
			}
		}
	}
	return evicted, nil
}

// changed returns the askers whose verdict has changed since the last call, in the order of the scenario.
func (s *simulation) changed() []*app {
	keys := s.engine.Changed()
	out := make([]*app, 0, len(keys))
	for _, key := range keys {
		if a := s.app(key); a != nil {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, inOrder)
	return out
}

// inOrder compares two askers by the order of the scenario.
func inOrder(a, b *app) int { return cmp.Compare(a.place, b.place) }

func (s *simulation) preempt(a *app, eviction *queueing.Eviction) error {
	s.release(a)
	s.preemptions++
	if a.preemptedAt != s.now {
		a.preemptions, a.preemptedAt = 0, s.now
	}
	if a.preemptions++; a.preemptions > maxPreemptionsPerInstant {
		return fmt.Errorf("at %s %s is admitted and preempted forever", s.now, a.ask.Key)
	}
	s.engine.Submit(a.ask)
	e := s.event(a, Preempted)
	if eviction.By != (queueing.Key{}) {
		e.By = eviction.By.String()
	}
	e.Reason = reasonText(eviction.Reason, eviction.Message)
	return s.emit(e)
}

// emitPending emits why askers are pending, for those whose reason has changed at this instant, in the order of the
// scenario.
func (s *simulation) emitPending() error {
	slices.SortFunc(s.verdictChanged, inOrder)
	for _, a := range slices.Compact(s.verdictChanged) {
		if a.runs || a.deleted {
			continue
		}
		v := s.engine.Verdict(a.ask.Key)
		kind := Waiting
		if v.State == queueing.Refused {
			kind = Refused
		}
		e := s.event(a, kind)
		e.Reason = reasonText(v.Reason, v.Message)
		if v.State == queueing.Undecided || kind == a.lastKind && e.Reason == a.lastReason {
			continue
		}
		a.lastKind, a.lastReason = kind, e.Reason
		if err := s.emit(e); err != nil {
			return err
		}
	}
	s.verdictChanged = s.verdictChanged[:0]
	return nil
}

// reasonText returns "reason: message", or the reason alone if there is no message.
func reasonText(reason, message string) string { return strings.TrimSuffix(reason+": "+message, ": ") }

func (s *simulation) summary() Summary {
	return Summary{
		Event: "summary", Makespan: s.makespan, Wait: waitsOf(s.waits), Usage: s.meter.usage(), Preemptions: s.preemptions,
		Unfinished: len(s.apps) - len(s.waits) - s.deleted, Schedules: s.runsOfSchedules(),
	}
}

// completion is when an asker ends that was admitted with this attempt.
type completion struct {
	at      Time
	app     *app
	attempt int64
}

// isStale reports whether the asker has lost that admission since.
func (e completion) isStale() bool { return e.attempt != e.app.ask.Attempt }

// before orders completions: the earliest first, then by the order of the scenario.
func (e completion) before(other completion) bool {
	return cmp.Or(cmp.Compare(e.at, other.at), cmp.Compare(e.app.place, other.app.place)) < 0
}
