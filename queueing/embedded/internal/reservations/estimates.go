// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package reservations

import (
	"cmp"
	"slices"
	"time"

	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// Ends are how long the last grants of each queue were held, and what is estimated from that for others.
type Ends struct {
	held      map[string][]time.Duration
	estimated map[string]time.Duration
}

// maxEnds is how many ends of a queue are remembered.
const maxEnds = 31

// Note records that a grant, if any, is released now. One that is reclaimed says nothing about how long others need theirs.
func (es *Ends) Note(h *state.Held, now time.Time) {
	if h == nil || h.Since.IsZero() || h.Eviction() != nil {
		return
	}
	last := append(es.held[h.Queue.Name], now.Sub(h.Since))
	es.held[h.Queue.Name] = last[max(0, len(last)-maxEnds):]
	sorted := slices.Sorted(slices.Values(es.held[h.Queue.Name]))
	es.estimated[h.Queue.Name] = max(time.Minute, 2*sorted[len(sorted)/2])
}

// estimate returns how long a grant of a queue will be held if its ask sets no bound: twice the median of the last that
// have ended there, at least a minute; an hour if none has.
func (es *Ends) estimate(queue string) time.Duration { return cmp.Or(es.estimated[queue], time.Hour) }

// release is when a grant will be released.
type release struct {
	held *state.Held
	at   time.Time
}

// releases returns when the grants of a tree will be released, by bounds and estimates, in this order.
func (es *Ends) releases(t *state.Tree, now time.Time) (all []release) {
	for _, q := range t.Queues {
		estimate := es.estimate(q.Name)
		for _, a := range q.Held.Holders {
			all = append(all, release{a.Held, releasedAt(a.Held, estimate, now)})
		}
	}
	slices.SortFunc(all, func(a, b release) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.held.Serial, b.held.Serial)) })
	return all
}

// releasedAt returns when a grant will be released: by its bound, or else by the estimate of its queue. One that
// outlives its estimate is estimated to last as long again as it has lasted.
func releasedAt(h *state.Held, estimate time.Duration, now time.Time) time.Time {
	h.Since = cmp.Or(h.Since, now)
	switch end := h.Since.Add(estimate); {
	case !h.Standing.ReleasedBy.IsZero():
		return h.Standing.ReleasedBy
	case end.After(now):
		return end
	}
	return now.Add(now.Sub(h.Since))
}

// expectedStart returns when the ask of a reservation will start by these releases, estimated ones included or not; zero
// if it does not fit even after the last.
func expectedStart(r *state.Reservation, forest *quota.Forest, releases []release, estimates bool) (at time.Time) {
	var gone []*state.Held
	for _, l := range releases {
		if l.held.Standing.ReleasedBy.IsZero() && !estimates {
			continue
		}
		gone = append(gone, l.held)
		forest.Remove(l.held.Queue.Node, l.held.Vector)
		if _, blocked := forest.Blocked(r.Queue.Node, r.Need); !blocked {
			at = l.at
			break
		}
	}
	for _, h := range gone {
		forest.Add(h.Queue.Node, h.Vector)
	}
	return at
}
