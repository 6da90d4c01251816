// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/claims"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/reservations"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/waiting"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// View shows what the engine knows of queues and asks, for users and for the status of queues. It changes nothing.
type View struct {
	hierarchy    *state.Hierarchy
	rules        *waiting.Rules
	holders      *state.Holders
	claims       *claims.Book
	reservations *reservations.Book
}

// New returns a view of what these parts of an engine hold.
func New(hr *state.Hierarchy, r *waiting.Rules, hs *state.Holders, cs *claims.Book, rs *reservations.Book) *View {
	return &View{hr, r, hs, cs, rs}
}

// QueueExplanation is the live view of a queue, for users.
type QueueExplanation struct {
	QueueState
	// AtMaxRunning is the queue that has reached its maxRunning, this one or the nearest above it; empty if there is
	// none.
	AtMaxRunning string
	// Headroom has one element for each element of Usage.
	Headroom []Headroom
	// ReservedFor lists the head of this queue if quota is reserved for it because it has waited too long.
	ReservedFor []Head
}

// Headroom is how much more a queue may use of a resource in a flavor.
type Headroom struct {
	// Available is what the queue could use now, negative above quota. Most is the most that it could ever hold. Both
	// may be quota.Unlimited.
	Available, Most int64
}

// QueueState is the current state of a queue, for its status.
type QueueState struct {
	Name   string
	Parent string
	// Root is the root of the queue's tree.
	Root string
	// Leaf is true if the queue has no children, so that it admits askers.
	Leaf bool
	// StoppedBy is the nearest drained queue, this one or one above it, else the nearest held one; empty if none is
	// stopped. Stop is StopHoldAndDrain or StopHold accordingly, or empty.
	StoppedBy string
	Stop      config.StopPolicy
	// Problem is ParentNotFound, Cycle, NoQuota, or empty. With a problem nothing is admitted, and Message explains it.
	Problem string
	Message string
	// MissingFlavors are flavors that the queue names and that do not exist, in the queue's order. AllMissing is true
	// if it names no others. If the queue names no flavors, they are those of FlavorsOf, the nearest queue above it
	// that does, provided that all of these are missing.
	MissingFlavors []string
	AllMissing     bool
	FlavorsOf      string
	// Pending and Admitted count the askers of this queue and of those below it. Pending are without those
	// that are refused, because they do not wait.
	Pending, Admitted int32
	// Kinds counts the same by kind, and also parts (queueing.Ask.Part) and askers that are refused. Kinds without any are
	// left out.
	Kinds map[string]state.Count
	// Waiting counts the pending asks of this queue alone by the reason of their verdict. The keys are reasons of
	// package queueing, or Undecided for asks that no Cycle has evaluated.
	Waiting map[string]int32
	// Share is what the queue borrows in relation to what its parent could have, divided by the queue's weight (see
	// quota.Share). It is infinite if the parent could have nothing, and nil for a root.
	Share *float64
	// Usage is the usage of this queue and those below it, ordered by flavor and resource.
	Usage []Usage
	// ElasticPods counts the pods above the base gangs of holders in this queue and those below it, WantedPods the pods
	// that these holders want in addition.
	ElasticPods, WantedPods int32
	// Heads are the first pending asks of this queue alone, without inadmissible ones.
	Heads []Head
}

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

// UnlimitedShown is how many usages without a limit a QueueState lists, besides those of resources that every node has.
// A queue without a limit accepts any resource that a user invents, and everything listed ends up in metrics and in the
// queue's status, beside the ledger.
const UnlimitedShown = 32

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
		return others > UnlimitedShown
	})
}

// Names returns the names of all configured queues in order.
func (v *View) Names() []string {
	out := make([]string, 0, v.hierarchy.Forest.Nodes())
	for n := range quota.NodeID(v.hierarchy.Forest.Nodes()) {
		if q := v.hierarchy.Queues[v.hierarchy.Forest.At(n).Name]; q != nil && q.Config != nil {
			out = append(out, q.Name)
		}
	}
	return out
}

// For returns, in order, the queues that an ask from a namespace with these labels may name: leaf queues without
// a problem whose selector matches, and which have quotas if needsLimits is true (see queueing.Ask).
func (v *View) For(labels map[string]string, needsLimits bool) []string {
	var out []string
	asker := &state.Ask{Labels: labels, NeedsLimits: needsLimits}
	for _, name := range v.Names() {
		if q := v.hierarchy.Queues[name]; q.Access(asker) == state.Allowed && v.rules.QueueInadmissible(q).State == queueing.Undecided {
			out = append(out, name)
		}
	}
	return out
}

// Unlimited reports whether a queue is configured and no queue of its tree has a quota.
func (v *View) Unlimited(queue string) bool {
	q := v.hierarchy.Queues[queue]
	return q != nil && q.Config != nil && !q.Limited
}

// States returns the states of all configured queues in the order of their names.
func (v *View) States() []QueueState {
	var out []QueueState
	for _, name := range v.Names() {
		s, _ := v.State(name)
		out = append(out, s)
	}
	return out
}

// State returns the state of a queue, or false if the queue is not configured.
func (v *View) State(queue string) (QueueState, bool) {
	q := v.hierarchy.Queues[queue]
	if q == nil || q.Config == nil {
		return QueueState{}, false
	}
	at := v.hierarchy.Forest.At(q.Node)
	s := QueueState{
		Name: q.Name, Parent: q.Config.Parent, Root: q.Root().Name, Leaf: len(at.Children) == 0,
		Problem: string(at.Problem), Pending: q.Pending - v.refused(q), Admitted: q.Admitted, Kinds: q.Kinds.ByKind(), Heads: headsOf(q),
		Waiting: pendingByReason(q), Share: v.shareOf(q),
	}
	s.ElasticPods, s.WantedPods = v.holders.ElasticOf(q)
	switch {
	case q.DrainedBy != nil:
		s.StoppedBy, s.Stop = q.DrainedBy.Name, config.StopHoldAndDrain
	case q.StoppedBy != nil:
		s.StoppedBy, s.Stop = q.StoppedBy.Name, config.StopHold
	}
	v.addMissingFlavors(q, &s)
	if at.Problem != quota.NoProblem {
		s.Message = v.rules.ProblemText(at) + "; " + v.rules.ParentRemedy(at)
	} else if q.NoQuota {
		s.Problem, s.Message = waiting.NoQuota, waiting.NoQuotaText(q)+": "+strings.Join(v.rules.QueueRemedies(q), ", ")
	}
	reserved := v.reservations.Within(q)
	for _, u := range listedUses(v.hierarchy.Forest.Uses(q.Node)) {
		s.Usage = append(s.Usage, Usage{
			Flavor: u.Flavor, Resource: u.Resource, Used: u.Used, Nominal: u.Nominal, Borrowed: u.Borrowed(), Lent: v.hierarchy.Forest.Account(q.Node, u.Cell).Lent(),
			Reserved: reserved[u.Cell],
		})
	}
	return s, true
}

// refused counts the pending askers of a queue, and of those below it, that request more than they could ever get. They
// do not wait.
func (v *View) refused(q *state.Queue) (count int32) {
	for _, class := range q.Asks.Classes {
		for _, a := range class.Askers.Items {
			if class.Inadmissible.State == queueing.Refused && !a.Ask.Part {
				count++
			}
		}
	}
	for _, child := range v.hierarchy.Forest.At(q.Node).Children {
		if below := v.hierarchy.Queues[v.hierarchy.Forest.At(child).Name]; below != nil {
			count += v.refused(below)
		}
	}
	return count
}

// addMissingFlavors records which flavors of a queue do not exist. If a queue above it names the flavors, they are
// recorded here only if none of them exists.
func (v *View) addMissingFlavors(q *state.Queue, s *QueueState) {
	var missing []string
	for _, name := range q.Flavors {
		if v.hierarchy.Flavors[name] == nil {
			missing = append(missing, name)
		}
	}
	s.AllMissing = len(missing) > 0 && len(missing) == len(q.Flavors)
	if len(missing) > 0 && (q.FlavorsOf == q || s.AllMissing) {
		s.MissingFlavors, s.FlavorsOf = missing, q.FlavorsOf.Name
	}
}

// shareOf returns the weighted share of a queue, or nil if the queue has no existing parent.
func (v *View) shareOf(q *state.Queue) *float64 {
	if q.Root() == q {
		return nil
	}
	share := v.hierarchy.Forest.Share(q.Node).Weighted(q.Config.Weight)
	return &share
}

// pendingByReason counts the pending asks by the reason of their verdict.
func pendingByReason(q *state.Queue) map[string]int32 {
	var out map[string]int32
	for _, class := range q.Asks.Classes {
		if out == nil {
			out = map[string]int32{}
		}
		reason := queueing.Undecided.String()
		switch {
		case class.IsInadmissible():
			reason = class.Inadmissible.Reason
		case class.Verdict != nil:
			reason = class.Verdict.Reason
		case class.First().Verdict != nil: // the class is new after a change of the configuration, but its asks keep their verdicts
			reason = class.First().Verdict.Reason
		}
		out[reason] += int32(len(class.Askers.Items))
	}
	return out
}

// headsOf returns the first pending asks of a queue.
func headsOf(q *state.Queue) []Head {
	var first []*state.Asker
	for class := range q.Asks.Admissible.InOrder() {
		if len(first) == HeadsShown && state.CompareAskers(first[HeadsShown-1], class.First()) < 0 {
			break
		}
		for a := range class.Askers.InOrder() {
			at, _ := slices.BinarySearchFunc(first, a, state.CompareAskers)
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

// Explain returns the live view of a queue, or false if the queue is not configured. It changes nothing.
func (v *View) Explain(name string) (QueueExplanation, bool) {
	state, exists := v.State(name)
	if !exists {
		return QueueExplanation{}, false
	}
	q := v.hierarchy.Queues[name]
	out := QueueExplanation{QueueState: state}
	if full := q.AtMaxRunning(); full != nil {
		out.AtMaxRunning = full.Name
	}
	for _, u := range state.Usage {
		account := v.hierarchy.Forest.Account(q.Node, quota.Cell{Flavor: u.Flavor, Resource: u.Resource})
		out.Headroom = append(out.Headroom, Headroom{Available: account.Available(), Most: account.Limit().Potential})
	}
	for _, r := range q.Tree.Reservations {
		if r.Queue == q && r.Asker.Class != nil && !r.IsDone() {
			out.ReservedFor = append(out.ReservedFor, headOf(r.Asker))
		}
	}
	return out, true
}

// Root returns the root of the tree of a configured queue, or the empty string for any other queue.
func (v *View) Root(queue string) string {
	if q := v.hierarchy.Queues[queue]; q != nil && q.Config != nil {
		return q.Root().Name
	}
	return ""
}
