// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package meter

import (
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/usage"
)

// Count is the amount by which metrics increase, in seconds.
type Count struct {
	// Queue is the queue that was charged.
	Queue string
	// Granted and Requested are the increases since the last count.
	Granted, Requested usage.Amounts
	// Ended is the outcome of the attempt, if it has ended with this count; otherwise empty. Total is then the amount
	// that it was granted in all.
	Ended usage.Outcome
	Total usage.Amounts
}

// Written takes a status that was just written, and returns the part of its amounts that has not been counted yet.
func (m *Meter) Written(s *v1alpha1.SparkApplicationStatus) Count {
	c := m.settle(s)
	if !m.Active() && s.Grant != nil && s.Usage != nil {
		*m = Meter{attempt: attempt{s.Grant.Run, s.Grant.Attempt}, queue: usage.QueueOf(s), admitted: s.Times.Admitted, at: s.Usage.At.Time}
	}
	m.holding = usage.OfGrant(s.Grant)
	return c
}

// settle counts the amounts in a status of the attempt, and forgets the attempt if the status says that it has ended.
func (m *Meter) settle(s *v1alpha1.SparkApplicationStatus) Count {
	switch {
	case !m.Active():
		return Count{}
	case !sameAttempt(s.Grant, m.attempt):
		c := m.ended(s)
		*m = Meter{}
		return c
	case s.Usage == nil:
		return Count{}
	}
	return m.count(amounts{s.Usage.Granted, s.Usage.Requested})
}

// Gone returns the amounts left to count for an application that is gone from the API server, so that no status will
// have them.
func (m *Meter) Gone(now time.Time) Count {
	if !m.Active() {
		return Count{}
	}
	m.advance(now)
	c := m.count(amounts{m.granted.Status(), m.requested.Status()})
	c.Ended, c.Total = usage.Stopped, m.granted
	*m = Meter{}
	return c
}

// ended counts the rest of an attempt whose grant the status no longer has.
func (m *Meter) ended(s *v1alpha1.SparkApplicationStatus) Count {
	entry := entryOf(s.Attempts, m.attempt)
	if entry == nil || entry.Usage == nil {
		c := m.count(amounts{m.granted.Status(), m.requested.Status()})
		c.Ended, c.Total = usage.Stopped, m.granted
		return c
	}
	c := m.count(amounts{entry.Usage.Granted, entry.Usage.Requested})
	c.Ended, c.Total = usage.OutcomeOf(entry), usage.FromStatus(entry.Usage.Granted)
	return c
}

// count returns the part of a status's amounts that has not been counted yet, and records them as counted.
func (m *Meter) count(written amounts) Count {
	c := Count{
		Queue:     m.queue,
		Granted:   usage.FromStatus(written.granted).Minus(usage.FromStatus(m.counted.granted)),
		Requested: usage.FromStatus(written.requested).Minus(usage.FromStatus(m.counted.requested)),
	}
	m.counted = written
	return c
}
