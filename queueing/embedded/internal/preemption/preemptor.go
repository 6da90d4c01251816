// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package preemption

import (
	"slices"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/claims"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// preemptor is an ask that may preempt, with the queues around it: what may be taken for it by the policies. Of its state
// as a holder, priority and age count.
type preemptor struct {
	forest *quota.Forest
	claims *claims.Book
	queue  *state.Queue
	ask    queueing.HolderState
	// short is the part of the need that does not fit.
	short quota.Vector
	// path holds the queue of the ask and all queues above it, in this order.
	path []*state.Queue
}

// newPreemptor returns what an ask of a queue with this need may preempt.
func (pr *Planner) newPreemptor(q *state.Queue, ask queueing.HolderState, need quota.Vector) preemptor {
	p := preemptor{forest: pr.hierarchy.Forest, claims: pr.claims, queue: q, ask: ask, short: pr.hierarchy.Forest.ShortPart(q.Node, need)}
	for ; q != nil; q = q.Parent {
		p.path = append(p.path, q)
	}
	return p
}

// mayReclaim reports, looking only at the queue of the ask and those above it, whether anything of what is contested may
// be taken from other queues now, apart from rules about shares.
func (p *preemptor) mayReclaim(contested quota.Vector) bool {
	policy := p.queue.Config.Preemption
	return policy.Borrow == config.PreemptLowerPriority || policy.Reclaim.IsSet() && slices.ContainsFunc(p.path[:len(p.path)-1], func(side *state.Queue) bool {
		return !p.forest.Over(side.Node, contested)
	})
}

// mayHoldTargets reports whether anything in a queue can become eligible during the search. Nothing is charged to other
// queues meanwhile, so a queue that has not borrowed what is short, on every level, will not have later either.
func (p *preemptor) mayHoldTargets(q *state.Queue) bool {
	policy := p.queue.Config.Preemption
	if q == p.queue {
		return policy.Within.IsSet()
	}
	return policy.Reclaim.IsSet() && p.hasBorrowedShort(q, p.short)
}

// hasBorrowedShort reports whether a queue, and all those above it below the common ancestor with the ask's queue, use
// more than their quota of what is short in the cells of held, so that holding these is borrowing. It is false for the
// ask's own queue and those below it, from which nothing can be borrowed this way.
func (p *preemptor) hasBorrowedShort(q *state.Queue, held quota.Vector) bool {
	for ; q != nil && !slices.Contains(p.path, q); q = q.Parent {
		if !p.forest.Over(q.Node, p.short, held) {
			return false
		}
	}
	return q != nil && q != p.queue
}

// sideBeside returns the index on the path of the highest queue that is not above the other queue; 0 for the ask's own.
func (p *preemptor) sideBeside(q *state.Queue) int {
	return max(0, slices.IndexFunc(p.path, func(above *state.Queue) bool { return above.Contains(q) })-1)
}

// policyAllowsPods reports whether the policy within the queue allows the ask to preempt pods above a base gang. These
// pods have no place in the queue, so for equal priorities age does not count.
func (p *preemptor) policyAllowsPods(v *state.Asker) bool {
	return v.Held.Queue == p.queue && p.queue.Config.Preemption.Within == config.PreemptLowerOrNewerEqualPriority &&
		v.Held.Standing.Priority <= p.ask.Priority
}

// policyAllows reports whether a policy allows the ask to preempt an asker, looking only at priority and age.
func (p *preemptor) policyAllows(v *state.Asker) bool {
	policy := p.queue.Config.Preemption
	lower := v.Held.Standing.Priority < p.ask.Priority
	if v.Held.Queue == p.queue {
		newer := v.Held.Standing.Priority == p.ask.Priority && v.Held.Standing.QueuedAt.After(p.ask.QueuedAt)
		return policy.Within == config.PreemptLowerPriority && lower || policy.Within == config.PreemptLowerOrNewerEqualPriority && (lower || newer)
	}
	return policy.Reclaim == config.PreemptAny || policy.Reclaim == config.PreemptLowerPriority && lower
}

// isEligible reports whether an asker may be preempted now. Of the rules about shares it applies those up to by.
func (p *preemptor) isEligible(v *state.Target, by shareRule) bool {
	a := v.Asker
	v.ByBorrower, v.ByShare = false, false
	if a.Held.Queue == p.queue {
		return true
	}
	held := v.Vector
	if v.Whole {
		held = a.Held.Vector
	}
	if !p.hasBorrowedShort(a.Held.Queue, held) {
		return false
	}
	if !p.borrowsBeside(a) {
		return true
	}
	v.ByBorrower = p.mayBorrow(a)
	v.ByShare = !v.ByBorrower && by != noShareRule && p.isAboveShare(v, by)
	return v.ByBorrower || v.ByShare
}

// borrowsBeside reports whether the ask's own side borrows: the subtree with the ask's queue directly below the common
// ancestor with the asker's queue.
func (p *preemptor) borrowsBeside(v *state.Asker) bool {
	return p.forest.Over(p.queue.SubtreeBeside(v.Held.Queue).Node, p.short)
}

// mayBorrow reports whether an ask that borrows may preempt an asker by the policy Borrow.
func (p *preemptor) mayBorrow(v *state.Asker) bool {
	policy := p.queue.Config.Preemption
	return policy.Borrow == config.PreemptLowerPriority && v.Held.Standing.Priority < p.ask.Priority &&
		(policy.BorrowThreshold == nil || v.Held.Standing.Priority <= *policy.BorrowThreshold)
}

// isAboveShare reports whether an asker may be preempted by a rule because its side has more than its share; v.Vector
// is what would be released. An asker that was preempted before in the same run is not preempted for shares again.
func (p *preemptor) isAboveShare(v *state.Target, by shareRule) bool {
	forest, q := p.forest, v.Asker.Held.Queue
	mine := p.queue.SubtreeBeside(q)
	if by = min(by, shareRuleOf(mine.Parent)); by == noShareRule || v.Whole && p.claims.WasPreempted(v.Asker) {
		return false
	}
	theirs, share := q.SubtreeBeside(p.queue), forest.Share(mine.Node)
	if by == initialShare && quota.CompareShares(share, mine.Weight(), forest.Share(theirs.Node), theirs.Weight()) < 0 {
		return true
	}
	forest.Remove(q.Node, v.Vector)
	defer forest.Add(q.Node, v.Vector)
	return quota.CompareShares(share, mine.Weight(), forest.Share(theirs.Node), theirs.Weight()) <= 0
}

// shareRule is a rule by which an ask may preempt if its common ancestor with the target uses fair sharing. The rules
// compare the shares of the two sides, which are the subtrees below that ancestor.
type shareRule int

const (
	// noShareRule allows only what may be preempted regardless of shares.
	noShareRule shareRule = iota
	// finalShare also allows preemption if the share of the ask's side, including the ask, is at most the share that
	// the target's side keeps.
	finalShare
	// initialShare also allows preemption if the share of the ask's side, including the ask, is less than the share of
	// the target's side before it.
	initialShare
)
