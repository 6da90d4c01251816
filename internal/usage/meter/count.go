// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package meter

import (
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/usage"
)

// Count is what metrics add, in seconds.
type Count struct {
	// Queue that was charged.
	Queue string
	// Granted and Requested were added since the last count.
	Granted, Requested usage.Amounts
	// Ended is how the attempt ended with this count, and Total what it was granted in all; empty if it has not ended.
	Ended usage.Outcome
	Total usage.Amounts
}

// Written takes a status that was just written. It returns what that has more than was counted.
func (m *Meter) Written(s *v1alpha1.SparkApplicationStatus) Count {
	c := m.settle(s)
	if !m.Active() && s.Grant != nil && s.Usage != nil {
		*m = Meter{attempt: attempt{s.Grant.Run, s.Grant.Attempt}, queue: usage.QueueOf(s), admitted: s.Times.Admitted, at: s.Usage.At.Time}
	}
	m.holding = usage.OfGrant(s.Grant)
	return c
}

// settle counts what is in a status of the attempt, and forgets the attempt if it has ended with it.
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

// Gone returns what is left to count of an application that is gone from the API server: no status has it.
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

// ended counts the rest of an attempt that a status no longer has a grant for.
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

// count returns what a status has more than was counted, and remembers it.
func (m *Meter) count(written amounts) Count {
	c := Count{
		Queue:     m.queue,
		Granted:   usage.FromStatus(written.granted).Minus(usage.FromStatus(m.counted.granted)),
		Requested: usage.FromStatus(written.requested).Minus(usage.FromStatus(m.counted.requested)),
	}
	m.counted = written
	return c
}
