// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"slices"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/placement"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// AheadShown is the maximum number of asks listed in PendingAsk.Ahead.
const AheadShown = 5

// Explanation is the live view of one asker, for users. It changes with every decision, so it must not be written into
// a status.
type Explanation struct {
	Queue string
	// State, Reason and Message are the verdict.
	State           queueing.State
	Reason, Message string
	// Pending is the pending ask; nil if there is none.
	Pending *PendingAsk
	// Holding is the grant; nil if there is none.
	Holding *HeldGrant
}

// PendingAsk is a pending ask with its position and what blocks it.
type PendingAsk struct {
	Run, Attempt int64
	Priority     int32
	QueuedAt     time.Time
	PodSets      []queueing.PodSet
	// Position is the position in the queue, from 1 to InLine; 0 if the ask is inadmissible with the current
	// configuration.
	Position, InLine int
	// Ahead lists the asks directly before this one in order, AheadShown at most.
	Ahead []Head
	// ReservedFor lists the asks for which free quota is reserved.
	ReservedFor []Head
	// Needs are the minimum needs of the ask, in its preferred placement.
	Needs []Need
	// Remedies are sentences for users about what must happen so that the ask is admitted. They name no other asker.
	Remedies []string
}

// Need is the minimum need of an ask for one resource, and the quota that there is.
type Need struct {
	Flavor, Resource string
	Need             int64
	// Available is what the queue could use now, negative above quota. Most is the most that it could ever hold. Both
	// may be quota.Unlimited.
	Available, Most int64
	// Missing is the part of Need that exceeds Available.
	Missing int64
	// BlockedBy are the limits that leave too little quota, from the queue upward.
	BlockedBy []BlockingLimit
}

// BlockingLimit is a limit that leaves too little quota.
type BlockingLimit struct {
	Queue string
	// Used is the usage that counts against Limit. Limit is the most that this queue's own limits allow.
	Used, Limit int64
	// Missing is how much must be released in this queue, or by how much the limit must be raised.
	Missing int64
}

// HeldGrant is a grant that is charged.
type HeldGrant struct {
	Run, Attempt int64
	Priority     int32
	// PodSets are shared with the engine: do not modify them.
	PodSets []queueing.PodSetGrant
	// Terminating is true if the grant will be released anyway.
	Terminating bool
	// Eviction is why the grant must be released; nil if it may be kept.
	Eviction *queueing.Eviction
	// Wants is the number of additional pods that the holder wants. Why is the reason that it does not have them.
	Wants int32
	Why   string
	// Reclaims are the pods above the base gang that must end.
	Reclaims []queueing.Reclaim
}

// Head is one pending asker.
type Head struct {
	Key      queueing.Key
	Priority int32
}

// preferredPlacement returns the first placement of a class that could ever fit, else the placement in the queue's
// first flavors. It is nil if the queue is unusable or has no flavor for the pods.
func (v *View) preferredPlacement(class *state.Class) placement.Choice {
	if len(class.Options) > 0 {
		return class.Options[0].Where
	}
	if class.Queue.Node == quota.None || class.Signature.Broken != "" || class.Inadmissible.Reason == queueing.ReasonReferenceNotFound {
		return nil
	}
	if search, _ := v.hierarchy.Placements(class.Queue, class.Signature); search != nil {
		return search.Preferred()
	}
	return nil
}

// needs returns the minimum needs of a class in a placement.
func (v *View) needs(class *state.Class, where placement.Choice) []Need {
	var out []Need
	n := class.Queue.Node
	for _, a := range quota.Summed(class.Signature.Amounts(where, class.Signature.MinCount())) {
		account := v.hierarchy.Forest.Account(n, a.Cell)
		need := Need{
			Flavor: a.Flavor, Resource: a.Resource, Need: a.Value,
			Available: account.Available(), Most: account.Limit().Potential, BlockedBy: v.obstacles(n, a),
		}
		for _, o := range need.BlockedBy {
			need.Missing = max(need.Missing, o.Missing)
		}
		out = append(out, need)
	}
	return out
}

// obstacles returns the limits that leave too little quota for a need.
func (v *View) obstacles(n quota.NodeID, a quota.Amount) []BlockingLimit {
	need := v.hierarchy.Forest.Prepare(n, []quota.Amount{a})
	lacks := v.hierarchy.Forest.AppendShortfalls(nil, n, need)
	if b, blocked := v.hierarchy.Forest.Blocked(n, need); blocked && len(lacks) == 0 { // the tree does not have this flavor
		return []BlockingLimit{{Queue: v.hierarchy.Forest.At(n).Name, Missing: b.Need}}
	}
	var out []BlockingLimit
	for _, lack := range lacks {
		if lack > 0 {
			account := v.hierarchy.Forest.Account(n, a.Cell)
			out = append(out, BlockingLimit{Queue: v.hierarchy.Forest.At(n).Name, Used: account.Usage(), Limit: account.Limit().Max(), Missing: lack})
		}
		n = v.hierarchy.Forest.At(n).Parent
	}
	return out
}

// reservedFor returns the asks for which the quota is reserved that this ask could use: a head that has waited too
// long, or asks that preempt others.
func (v *View) reservedFor(a *state.Asker) []Head {
	class := a.Class
	if r := v.reservations.Blocking(class); r != nil && r.Asker != a {
		return []Head{headOf(r.Asker)}
	}
	if a.Claim != nil || !slices.ContainsFunc(class.Options, func(o placement.Option) bool { return v.reservations.FitsNow(class, o.MinNeed) }) {
		return nil
	}
	var out []Head
	for _, c := range v.claims.All {
		if c.Asker != a && c.Asker.Class != nil && c.Asker.Class.Queue.Tree == class.Queue.Tree {
			out = append(out, headOf(c.Asker))
		}
	}
	return out
}

// Pending returns the explanation of a pending ask.
func (v *View) Pending(a *state.Asker) *PendingAsk {
	w := &PendingAsk{
		Run: a.Ask.Run, Attempt: a.Ask.Attempt, Priority: a.Ask.Priority, QueuedAt: a.Ask.QueuedAt, PodSets: a.Ask.Signature.PodSets,
	}
	w.Remedies = v.remedies(a)
	if a.Class == nil {
		return w
	}
	if !a.Class.IsInadmissible() {
		w.Position, w.InLine, w.Ahead = positionOf(a.Class.Queue, a)
		w.ReservedFor = v.reservedFor(a)
	}
	if where := v.preferredPlacement(a.Class); where != nil {
		w.Needs = v.needs(a.Class, where)
	}
	return w
}

// positionOf returns the position of an asker among the admissible asks of its queue, the number of these asks, and the
// last ones before it.
func positionOf(q *state.Queue, a *state.Asker) (position, inLine int, ahead []Head) {
	var last []*state.Asker
	for _, class := range q.Asks.Classes {
		if class.IsInadmissible() {
			continue
		}
		inLine += len(class.Askers.Items)
		for _, other := range class.Askers.Items {
			if state.CompareAskers(other, a) > 0 {
				continue
			}
			if position++; other == a || len(last) == AheadShown && state.CompareAskers(other, last[0]) < 0 {
				continue
			}
			at, _ := slices.BinarySearchFunc(last, other, state.CompareAskers)
			last = slices.Insert(last, at, other)
			last = last[max(0, len(last)-AheadShown):]
		}
	}
	for _, other := range last {
		ahead = append(ahead, headOf(other))
	}
	return position, inLine, ahead
}

func headOf(a *state.Asker) Head { return Head{Key: a.Key, Priority: a.Ask.Priority} }
