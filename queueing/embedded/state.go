// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// HeadsShown is the maximum number of pending asks in a QueueState.
const HeadsShown = 20

// Usage is the usage of one resource in one flavor.
type Usage struct {
	Flavor, Resource string
	// Used and Borrowed (the part of Used above Nominal) are in the unit of the resource.
	Used, Borrowed int64
	// Lent is the unused part of Nominal that this queue could not use now because other queues are using it.
	Lent int64
	// Reserved is the part of the available quota that is reserved for asks of this queue and of those below it.
	Reserved int64
	// Nominal is quota.Unlimited if there is no limit.
	Nominal int64
}

// unlimitedShown is how many usages without a limit a QueueState lists, besides those of resources that every node has.
// A queue without a limit accepts any resource that a user invents, and everything listed ends up in metrics and in the
// queue's status, beside the ledger.
const unlimitedShown = 32

// nodeResources are the resources whose usage is always listed.
var nodeResources = []string{"cpu", "memory", "ephemeral-storage", "pods"}

// listedUses returns the usages that a state lists: all that are limited or of resources in nodeResources, and some of
// the others.
func listedUses(uses []quota.Use) []quota.Use {
	others := 0
	return slices.DeleteFunc(uses, func(u quota.Use) bool {
		if u.Nominal != quota.Unlimited || slices.Contains(nodeResources, u.Resource) {
			return false
		}
		others++
		return others > unlimitedShown
	})
}

// Names returns the names of all configured queues in order.
func (e *Engine) Names() []string {
	out := make([]string, 0, e.hierarchy.forest.Nodes())
	for n := range quota.NodeID(e.hierarchy.forest.Nodes()) {
		if q := e.hierarchy.queues[e.hierarchy.forest.At(n).Name]; q != nil && q.config != nil {
			out = append(out, q.name)
		}
	}
	return out
}

// QueuesFor returns, in order, the queues that an ask from a namespace with these labels may name: leaf queues without
// a problem whose selector matches, and which have quotas if needsLimits is true (see queueing.Ask).
func (e *Engine) QueuesFor(labels map[string]string, needsLimits bool) []string {
	var out []string
	asker := &ask{labels: labels, needsLimits: needsLimits}
	for _, name := range e.Names() {
		if q := e.hierarchy.queues[name]; q.access(asker) == allowed && e.hierarchy.queueInadmissible(q).State == queueing.Undecided {
			out = append(out, name)
		}
	}
	return out
}

// Unlimited reports whether a queue is configured and no queue of its tree has a quota.
func (e *Engine) Unlimited(queue string) bool {
	q := e.hierarchy.queues[queue]
	return q != nil && q.config != nil && !q.limited
}

// States returns the states of all configured queues in the order of their names.
func (e *Engine) States() []QueueState {
	var out []QueueState
	for _, name := range e.Names() {
		s, _ := e.State(name)
		out = append(out, s)
	}
	return out
}

// State returns the state of a queue, or false if the queue is not configured.
func (e *Engine) State(queue string) (QueueState, bool) {
	q := e.hierarchy.queues[queue]
	if q == nil || q.config == nil {
		return QueueState{}, false
	}
	at := e.hierarchy.forest.At(q.node)
	s := QueueState{
		Name: q.name, Parent: q.config.Parent, Root: q.root().name, Leaf: len(at.Children) == 0,
		Problem: string(at.Problem), Pending: q.pending, Admitted: q.admitted, Kinds: q.kinds.byKind(), Heads: headsOf(q),
		Waiting: q.pendingByReason(), Share: e.explainer.shareOf(q),
	}
	s.ElasticPods, s.WantedPods = e.holders.elasticOf(q)
	switch {
	case q.drainedBy != nil:
		s.StoppedBy, s.Stop = q.drainedBy.name, config.StopHoldAndDrain
	case q.stoppedBy != nil:
		s.StoppedBy, s.Stop = q.stoppedBy.name, config.StopHold
	}
	e.hierarchy.addMissingFlavors(q, &s)
	if at.Problem != quota.NoProblem {
		s.Message = e.hierarchy.problemText(at) + "; " + e.hierarchy.parentRemedy(at)
	} else if q.noQuota {
		s.Problem, s.Message = NoQuota, noQuota(q)+": "+strings.Join(e.explainer.queueRemedies(q), ", ")
	}
	reserved := e.reservations.within(q)
	for _, u := range listedUses(e.hierarchy.forest.Uses(q.node)) {
		s.Usage = append(s.Usage, Usage{
			Flavor: u.Flavor, Resource: u.Resource, Used: u.Used, Nominal: u.Nominal, Borrowed: u.Borrowed(), Lent: e.hierarchy.forest.Account(q.node, u.Cell).Lent(),
			Reserved: reserved[u.Cell],
		})
	}
	return s, true
}

// addMissingFlavors records which flavors of a queue do not exist. If a queue above it names the flavors, they are
// recorded here only if none of them exists.
func (hr *hierarchy) addMissingFlavors(q *queue, s *QueueState) {
	var missing []string
	for _, name := range q.flavors {
		if hr.flavors[name] == nil {
			missing = append(missing, name)
		}
	}
	s.AllMissing = len(missing) > 0 && len(missing) == len(q.flavors)
	if len(missing) > 0 && (q.flavorsOf == q || s.AllMissing) {
		s.MissingFlavors, s.FlavorsOf = missing, q.flavorsOf.name
	}
}

// shareOf returns the weighted share of a queue, or nil if the queue has no existing parent.
func (ex *explainer) shareOf(q *queue) *float64 {
	if q.root() == q {
		return nil
	}
	share := ex.hierarchy.forest.Share(q.node).Weighted(q.config.Weight)
	return &share
}

// pendingByReason counts the pending asks by the reason of their verdict.
func (q *queue) pendingByReason() map[string]int32 {
	var out map[string]int32
	for _, class := range q.classes {
		if out == nil {
			out = map[string]int32{}
		}
		reason := queueing.Undecided.String()
		switch {
		case class.isInadmissible():
			reason = class.inadmissible.Reason
		case class.verdict != nil:
			reason = class.verdict.Reason
		case class.first().verdict != nil: // the class is new after a change of the configuration, but its asks keep their verdicts
			reason = class.first().verdict.Reason
		}
		out[reason] += int32(len(class.apps.items))
	}
	return out
}

// headsOf returns the first pending asks of a queue.
func headsOf(q *queue) []Head {
	var first []*app
	for class := range q.admissible.inOrder() {
		if len(first) == HeadsShown && compareApps(first[HeadsShown-1], class.first()) < 0 {
			break
		}
		for a := range class.apps.inOrder() {
			at, _ := slices.BinarySearchFunc(first, a, compareApps)
			if at == HeadsShown {
				break
			}
			first = slices.Insert(first[:min(len(first), HeadsShown-1)], at, a)
		}
	}
	var out []Head
	for _, a := range first {
		out = append(out, headOf(a))
	}
	return out
}
