// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"time"

	"github.com/sparkgate/sparkgate/queueing"
)

// schedule is the state of a Schedule in a simulation.
type schedule struct {
	Schedule
	// begun is true once Step was called. look is when to call it again; 0 for never.
	begun bool
	look  Time
	// apps are the askers that the schedule has created and that have not ended, by namespace and name. ended are the
	// keys of those that have ended since the last call of Step.
	apps  map[queueing.Key]*app
	ended []queueing.Key
	runs  Runs
}

// waits reports whether there is a time at which Step must be called; due returns that time.
func (s *schedule) waits() bool { return !s.begun || len(s.ended) > 0 || s.look > 0 }

func (s *schedule) due(now Time) Time {
	if !s.begun || len(s.ended) > 0 {
		return now
	}
	return s.look
}

// noteEnd records that an asker has ended. It does nothing for a nil schedule.
func (s *schedule) noteEnd(a *app) {
	if s == nil {
		return
	}
	key := a.Ask.Key
	delete(s.apps, key)
	s.ended = append(s.ended, key)
}

// followSchedules runs the steps of all schedules that are due now.
func (s *simulation) followSchedules() error {
	for _, each := range s.schedules {
		for each.waits() && each.due(s.now) <= s.now {
			if err := s.follow(each); err != nil {
				return err
			}
		}
	}
	return nil
}

// follow runs one step of a schedule.
func (s *simulation) follow(from *schedule) error {
	ended := from.ended
	from.begun, from.ended = true, nil
	step := from.Step(time.Duration(s.now), ended, func(key queueing.Key) bool {
		a := from.apps[key]
		return a != nil && !a.runs && s.engine.Verdict(a.ask.Key).State == queueing.Refused
	})
	from.look = Time(step.Look)
	for i := range step.PassedOver {
		if err := s.passOver(from, &step.PassedOver[i]); err != nil {
			return err
		}
	}
	for _, d := range step.Delete {
		if err := s.remove(from, d); err != nil {
			return err
		}
	}
	for i := range step.Create {
		if err := s.create(from, &step.Create[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *simulation) passOver(from *schedule, p *PassedOver) error {
	if from.runs.Missed == nil {
		from.runs.Missed = map[string]int{}
	}
	from.runs.Missed[p.Reason]++
	return s.emit(Event{
		T: s.now, Event: Missed, App: p.Key.String(), Queue: p.Queue, Reason: reasonText(p.Reason, p.Message), ScheduledFor: p.For,
	})
}

// remove deletes an asker of a schedule, whether it is running or pending.
func (s *simulation) remove(from *schedule, d Deletion) error {
	a := from.apps[d.Key]
	if a == nil {
		return nil
	}
	if a.runs {
		s.release(a)
	} else {
		s.engine.Release(a.ask.Key)
	}
	a.deleted = true
	s.apps[a.place] = nil
	s.deleted++
	from.runs.Deleted++
	from.noteEnd(a)
	e := s.event(a, Deleted)
	e.By = d.By.String()
	return s.emit(e)
}

func (s *simulation) create(from *schedule, run *Creation) error {
	run.At = time.Duration(s.now)
	s.apps = append(s.apps, nil)
	a := s.arrive(&run.Arrival, len(s.apps)-1)
	a.schedule = from
	if from.apps == nil {
		from.apps = map[queueing.Key]*app{}
	}
	from.apps[run.Ask.Key] = a
	from.runs.Created++
	s.engine.Submit(a.ask)
	e := s.event(a, Created)
	e.ScheduledFor = run.For
	return s.emit(e)
}

func (s *simulation) runsOfSchedules() map[string]*Runs {
	if len(s.schedules) == 0 {
		return nil
	}
	runs := map[string]*Runs{}
	for _, each := range s.schedules {
		runs[each.Name()] = &each.runs
	}
	return runs
}
