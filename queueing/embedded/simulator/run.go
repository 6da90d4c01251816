// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"cmp"
	"container/heap"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
)

// epoch is the virtual time 0.
var epoch = time.Unix(0, 0).UTC()

// Run plays a scenario to its end: until nothing runs, changes or arrives any more. It calls emit with each event, in their order, and
// stops with its error. Other errors are a virtual time that no duration can hold, and applications that displace each other without end.
func Run(s Scenario, emit func(Event) error) (Summary, error) {
	return run(s, embedded.New(), emit)
}

func run(s Scenario, e engine, emit func(Event) error) (Summary, error) {
	p := newPlay(s, e, emit)
	p.engine.SetFlavors(p.state.sortedFlavors())
	p.change(Change{})
	for {
		next, more := p.next()
		if !more {
			return p.summary(), nil
		}
		p.meter.pass(next - p.now)
		p.now = next
		p.engine.Advance(epoch.Add(time.Duration(next)))
		if err := p.instant(); err != nil {
			return Summary{}, err
		}
	}
}

// play is one run of a scenario.
type play struct {
	engine engine
	emit   func(Event) error
	now    Time
	// apps in the order of the scenario; the UID of a key is the place here.
	apps []*app
	// arrivals and changes that are still to come, in order.
	arrivals []*app
	changes  []Change
	// ends of those that run. An end of an admission that was lost is passed over.
	ends ends
	// stirred are those whose verdict has changed at this instant; some more than once.
	stirred []*app
	state   state
	meter   *meter

	makespan    Time
	waits       []Time
	preemptions int
}

// app is one application.
type app struct {
	*Arrival
	ask  queueing.Ask
	runs bool
	// admitted is when it was admitted last, and charges what it uses while it runs.
	admitted Time
	charges  []charge
	// told is the last event that said why it waits; empty if it has not waited since it was admitted last.
	told Event
	// losses counts how often it has been preempted at the instant lost.
	losses int
	lost   Time
}

func newPlay(s Scenario, e engine, emit func(Event) error) *play {
	p := &play{engine: e, emit: emit, changes: slices.Clone(s.Changes), state: newState(s), meter: newMeter()}
	for i := range s.Arrivals {
		a := &app{Arrival: &s.Arrivals[i], ask: s.Arrivals[i].Ask}
		a.ask.Key.UID = fmt.Sprintf("%010d", i)
		a.ask.Run, a.ask.Attempt, a.ask.QueuedAt = 1, 1, epoch.Add(a.At)
		p.apps = append(p.apps, a)
	}
	p.arrivals = slices.Clone(p.apps)
	slices.SortStableFunc(p.arrivals, func(a, b *app) int { return cmp.Compare(a.At, b.At) })
	slices.SortStableFunc(p.changes, func(a, b Change) int { return cmp.Compare(a.At, b.At) })
	return p
}

// next is when the next thing happens, if anything does.
func (p *play) next() (at Time, more bool) {
	for len(p.ends) > 0 && p.ends[0].over() {
		heap.Pop(&p.ends)
	}
	at = math.MaxInt64
	if len(p.ends) > 0 {
		at, more = p.ends[0].at, true
	}
	if len(p.changes) > 0 {
		at, more = min(at, Time(p.changes[0].At)), true
	}
	if len(p.arrivals) > 0 {
		at, more = min(at, Time(p.arrivals[0].At)), true
	}
	return at, more
}

// instant plays everything that happens now, until nothing moves, and then tells those who wait.
func (p *play) instant() error {
	for moved := true; moved; {
		if err := p.happen(); err != nil {
			return err
		}
		decisions := p.engine.Cycle(0)
		for _, d := range decisions {
			if err := p.admit(d); err != nil {
				return err
			}
		}
		evicted, err := p.evict()
		if err != nil {
			return err
		}
		next, more := p.next()
		moved = len(decisions) > 0 || evicted || more && next == p.now
	}
	return p.tell()
}

// happen plays what the scenario says for now: ends, changes, arrivals.
func (p *play) happen() error {
	for len(p.ends) > 0 && p.ends[0].at == p.now {
		if end := heap.Pop(&p.ends).(end); !end.over() {
			if err := p.finish(end.app); err != nil {
				return err
			}
		}
	}
	for ; len(p.changes) > 0 && Time(p.changes[0].At) == p.now; p.changes = p.changes[1:] {
		p.change(p.changes[0])
	}
	for ; len(p.arrivals) > 0 && Time(p.arrivals[0].At) == p.now; p.arrivals = p.arrivals[1:] {
		p.engine.Submit(p.arrivals[0].ask)
	}
	return nil
}

// change changes the configuration of the engine and of the meter.
func (p *play) change(c Change) {
	p.state.apply(c)
	if c.Flavor != nil || c.DeleteFlavor != "" {
		p.engine.SetFlavors(p.state.sortedFlavors())
		return
	}
	queues := p.state.sortedQueues()
	p.engine.SetQueues(queues)
	p.meter.configure(queues, p.running)
}

// running yields what those hold who run.
func (p *play) running(yield func(queue string, charges []charge)) {
	for _, a := range p.apps {
		if a.runs {
			yield(a.ask.Queue, a.charges)
		}
	}
}

func (p *play) app(key queueing.Key) *app {
	place, _ := strconv.Atoi(key.UID)
	return p.apps[place]
}

// event is an event of an application now.
func (p *play) event(a *app, kind Kind) Event {
	return Event{T: p.now, Event: kind, App: a.ask.Key.String(), Queue: a.ask.Queue}
}

func (p *play) admit(d embedded.Decision) error {
	a := p.app(d.Key)
	p.engine.Confirm(d.Key, d.Grant.Run, d.Grant.Attempt)
	if p.now > math.MaxInt64-Time(a.RunFor) {
		return fmt.Errorf("%s would end after more than %s, which is the end of virtual time; shorten runFor", d.Key, Time(math.MaxInt64))
	}
	a.runs, a.admitted, a.charges, a.told = true, p.now, chargesOf(d.Grant), Event{}
	p.meter.add(a.ask.Queue, a.charges)
	heap.Push(&p.ends, end{at: p.now + Time(a.RunFor), app: a, attempt: a.ask.Attempt})
	e := p.event(a, Admitted)
	e.Flavors = map[string]string{}
	for _, set := range d.Grant.PodSets {
		e.Flavors[set.Name] = set.Flavor
	}
	return p.emit(e)
}

// free takes the room of an application back.
func (p *play) free(a *app) {
	p.engine.Release(a.ask.Key)
	p.meter.remove(a.ask.Queue, a.charges)
	a.runs, a.charges = false, nil
	a.ask.Attempt++ // so that an end or an eviction of this admission means nothing to the next one
}

func (p *play) finish(a *app) error {
	p.free(a)
	p.makespan = p.now
	p.meter.mark()
	p.waits = append(p.waits, a.admitted-Time(a.At))
	return p.emit(p.event(a, Finished))
}

// mostLosses is how often an application may be preempted at one instant. Each time it was admitted before, so there is no end to it.
const mostLosses = 100

// evict takes their room from those from whom the engine wants it back, in the order of the scenario; it reports whether there were any.
func (p *play) evict() (bool, error) {
	changed := p.changed()
	p.stirred = append(p.stirred, changed...)
	evicted := false
	for _, a := range changed {
		if !a.runs {
			continue
		}
		if eviction := p.engine.Eviction(a.ask.Key, a.ask.Run, a.ask.Attempt); eviction != nil {
			evicted = true
			if err := p.preempt(a, eviction); err != nil {
				return false, err
			}
		}
	}
	return evicted, nil
}

// changed are those whose verdict has changed since the last call, in the order of the scenario.
func (p *play) changed() []*app {
	keys := p.engine.Changed()
	out := make([]*app, 0, len(keys))
	for _, key := range keys {
		out = append(out, p.app(key))
	}
	slices.SortFunc(out, inOrder)
	return out
}

// inOrder is the order of the scenario.
func inOrder(a, b *app) int { return cmp.Compare(a.ask.Key.UID, b.ask.Key.UID) }

func (p *play) preempt(a *app, eviction *queueing.Eviction) error {
	p.free(a)
	p.preemptions++
	if a.lost != p.now {
		a.losses, a.lost = 0, p.now
	}
	if a.losses++; a.losses > mostLosses {
		return fmt.Errorf("at %s %s is admitted and preempted without end", p.now, a.ask.Key)
	}
	p.engine.Submit(a.ask)
	e := p.event(a, Preempted)
	e.By = takerOf(eviction)
	e.Reason = reasonText(eviction.Reason, eviction.Message)
	return p.emit(e)
}

// tell says why those wait whose reason has changed at this instant, in the order of the scenario.
func (p *play) tell() error {
	slices.SortFunc(p.stirred, inOrder)
	for _, a := range slices.Compact(p.stirred) {
		if a.runs {
			continue
		}
		v := p.engine.Verdict(a.ask.Key)
		kind := Waiting
		if v.State == queueing.Refused {
			kind = Refused
		}
		e := p.event(a, kind)
		e.Reason = reasonText(v.Reason, v.Message)
		if v.State == queueing.Undecided || e.Event == a.told.Event && e.Reason == a.told.Reason {
			continue
		}
		a.told = e
		if err := p.emit(e); err != nil {
			return err
		}
	}
	p.stirred = p.stirred[:0]
	return nil
}

// reasonText is "Reason: message".
func reasonText(reason, message string) string {
	if message == "" {
		return reason
	}
	return reason + ": " + message
}

func (p *play) summary() Summary {
	return Summary{
		Event: "summary", Makespan: p.makespan, Wait: waitsOf(p.waits), Usage: p.meter.usage(), Preemptions: p.preemptions,
		Unfinished: len(p.apps) - len(p.waits),
	}
}
