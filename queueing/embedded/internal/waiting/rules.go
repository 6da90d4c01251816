// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package waiting

import (
	"fmt"
	"strings"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/phrases"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/placement"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// Rules say which asks can be admitted with the current configuration, and why others cannot.
type Rules struct {
	hierarchy *state.Hierarchy
}

// NewRules returns the rules of an engine.
func NewRules(hr *state.Hierarchy) *Rules { return &Rules{hr} }

// Defect returns why a queue can admit nothing, or the empty string if there is no such reason.
func (r *Rules) Defect(q *state.Queue) string {
	if q.Config == nil {
		return fmt.Sprintf("queue %s does not exist", q.Name)
	}
	if at := r.hierarchy.Forest.At(q.Node); at.Problem != quota.NoProblem {
		return r.ProblemText(at)
	}
	if q.NoQuota {
		return NoQuotaText(q)
	}
	return ""
}

// QueueInadmissible returns the verdict for a queue that cannot admit askers at all. It is Undecided if the queue can.
func (r *Rules) QueueInadmissible(q *state.Queue) queueing.Verdict {
	if defect := r.Defect(q); defect != "" {
		return waits(queueing.ReasonReferenceNotFound, "%s", defect)
	}
	if len(r.hierarchy.Forest.At(q.Node).Children) > 0 {
		return waits(queueing.ReasonReferenceNotFound, "queue %s admits nothing itself; submit to one of its leaf queues: %s", q.Name, phrases.List(r.hierarchy.Leaves(q.Node)))
	}
	return queueing.Verdict{}
}

// exceedsQuota returns the verdict on asks that would not fit even if the queue were empty. It describes their first
// placement, and names each limit that would have to be raised.
func (r *Rules) exceedsQuota(class *state.Class, search *placement.Search) queueing.Verdict {
	n := class.Queue.Node
	var needs, raises []string
	for _, a := range quota.Summed(class.Signature.Amounts(search.Preferred(), class.Signature.MinCount())) {
		if raise := r.Raises(n, a); raise != "" {
			needs = append(needs, fmt.Sprintf("%s; queue %s can never use more than %s", state.NeedsText(class, quota.Block{Cell: a.Cell, Need: a.Value}),
				class.Queue.Name, phrases.Amount(a.Resource, r.hierarchy.Forest.Account(n, a.Cell).Limit().Potential)))
			raises = append(raises, raise)
		}
	}
	nor := ""
	if search.SeveralFlavors() {
		nor = ", nor enough of another flavor"
	}
	return queueing.Verdict{State: queueing.Refused, Reason: queueing.ReasonExceedsQuota, Message: fmt.Sprintf(
		"%s%s: request less, or raise %s", strings.Join(needs, "; "), nor, strings.Join(raises, " and "))}
}

// Raises names the limits that must be raised so that a queue could ever hold an amount, and by how much. It returns
// the empty string if the queue already could.
func (r *Rules) Raises(n quota.NodeID, a quota.Amount) string {
	limits := r.hierarchy.Forest.Account(n, a.Cell).Raises(a.Value)
	text := func(fields string, by quota.Raise) string {
		return fmt.Sprintf("%s of queue %s by %s %s", fields, r.hierarchy.Forest.At(by.Node).Name, a.Resource, phrases.Amount(a.Resource, by.By))
	}
	switch len(limits) {
	case 0:
		return ""
	case 1:
		return text(r.AdjustableLimits(limits[0].Node), limits[0])
	}
	var all []string
	for _, limit := range limits {
		fields := "borrowingLimit"
		if r.hierarchy.Forest.At(limit.Node).Parent == quota.None {
			fields = "nominal"
		}
		all = append(all, text(fields, limit))
	}
	own := quota.Raise{Node: n, By: a.Value - r.hierarchy.Forest.Account(n, a.Cell).Limit().Potential}
	return fmt.Sprintf("%s (or %s)", text("nominal", own), strings.Join(all, " and "))
}

// ProblemText describes the problem of a queue or of a queue above it.
func (r *Rules) ProblemText(at *quota.Place) string {
	faulty := r.hierarchy.Forest.At(at.Culprit)
	name := "queue " + faulty.Name
	if faulty != at {
		name = fmt.Sprintf("queue %s, above %s,", faulty.Name, at.Name)
	}
	if at.Problem == quota.Cycle {
		return fmt.Sprintf("%s is its own ancestor: %s", name, r.cycleText(at.Culprit))
	}
	return fmt.Sprintf("%s has the parent %s, which does not exist", name, faulty.ConfiguredParent)
}

// ParentRemedy returns how to resolve a problem with the parent of a queue.
func (r *Rules) ParentRemedy(at *quota.Place) string {
	if at.Problem == quota.Cycle {
		return "change spec.parent of one of these"
	}
	faulty := r.hierarchy.Forest.At(at.Culprit)
	return fmt.Sprintf("create queue %s, or change spec.parent of queue %s", faulty.ConfiguredParent, faulty.Name)
}

// cycleText lists the members of a cycle of parents, starting and ending with the same one.
func (r *Rules) cycleText(n quota.NodeID) string {
	start := r.hierarchy.Forest.At(n).Name
	names := []string{start}
	for name := r.hierarchy.Forest.At(n).ConfiguredParent; name != start; name = r.hierarchy.Forest.At(r.hierarchy.Forest.Find(name)).ConfiguredParent {
		names = append(names, name)
	}
	if len(names) > phrases.MaxNamesListed {
		names = append(names[:phrases.MaxNamesListed], "…")
	}
	return strings.Join(append(names, start), " → ")
}

// AdjustableLimits names the limits of a queue that can be raised to let it use more.
func (r *Rules) AdjustableLimits(n quota.NodeID) string {
	if r.hierarchy.Forest.At(n).Parent == quota.None {
		return "nominal"
	}
	return "nominal or borrowingLimit"
}

// evaluate initializes a new class with its options, or with the reason why it can never be admitted.
func (r *Rules) evaluate(class *state.Class, access state.Access) {
	q := class.Queue
	if class.Signature.Broken != "" {
		class.Inadmissible = negativeAsk(class.Signature)
		return
	}
	if class.Inadmissible = r.QueueInadmissible(q); class.IsInadmissible() {
		return
	}
	switch access {
	case state.NotSelected:
		class.Inadmissible = notAllowed(q)
		return
	case state.WithoutLimits:
		class.Inadmissible = limitsNeeded(q)
		return
	case state.Allowed:
	}
	search, why := r.hierarchy.Placements(q, class.Signature)
	if search == nil {
		class.Inadmissible = waits(queueing.ReasonFlavorMismatch, "%s", why)
		return
	}
	for _, where := range search.Run(state.MaxOptions, placement.MaxPlacementSteps, func(need quota.Vector) bool {
		_, exceeds := r.hierarchy.Forest.Exceeds(q.Node, need)
		return !exceeds
	}) {
		class.Options = append(class.Options, r.hierarchy.Option(class, where))
	}
	switch {
	case len(class.Options) == 0 && search.Cut:
		class.Inadmissible = notFoundWithin(class, placement.MaxPlacementSteps)
	case len(class.Options) == 0:
		class.Inadmissible = r.exceedsQuota(class, search)
	case search.Cut:
		class.Placements = search
	}
}

// negativeAsk returns the verdict on asks with a negative amount. Users cannot create such asks, so the operator has
// misread or miscalculated an amount.
func negativeAsk(s *placement.Signature) queueing.Verdict {
	return queueing.Verdict{State: queueing.Refused, Reason: queueing.ReasonExceedsQuota, Message: fmt.Sprintf(
		"the request is invalid, %s is negative: this is a bug in the operator, please report it", s.Broken)}
}

// notFoundWithin returns the verdict on asks with so many pod sets and flavors that the search stopped early.
func notFoundWithin(class *state.Class, steps int) queueing.Verdict {
	return waits(queueing.ReasonFlavorMismatch, "no placement of the %d pod sets in the flavors of queue %s was found within %d steps; there may be one: name fewer flavors for each pod set",
		len(class.Signature.PodSets), class.Queue.Name, steps)
}

// waits returns the verdict on asks that cannot be admitted until the configuration, or the ask, is corrected.
func waits(reason, message string, args ...any) queueing.Verdict {
	return queueing.Verdict{State: queueing.Waiting, Reason: reason, Message: fmt.Sprintf(message, args...)}
}

// NoQuota is the problem of queues in a tree that has no quota and whose root is not unlimited. The other problems are
// defined in package quota.
const NoQuota = "NoQuota"

// NoQuotaText returns the message for a queue with the problem NoQuota.
func NoQuotaText(q *state.Queue) string {
	if top := q.Root(); top != q {
		return fmt.Sprintf("queue %s admits nothing: neither it nor another queue of its tree has a quota, and its root %s is not unlimited", q.Name, top.Name)
	}
	return fmt.Sprintf("queue %s admits nothing: it has no quota and is not unlimited", q.Name)
}

func notAllowed(q *state.Queue) queueing.Verdict {
	why := fmt.Sprintf("admits namespaces with %s; the labels of this namespace do not match", q.Config.SelectorText)
	switch {
	case q.Config.Admits != nil:
	case q.Config.SelectorText != "":
		why = "admits no namespace: its namespaceSelector is invalid"
	default:
		why = "admits no namespace: it has no namespaceSelector"
	}
	return waits(queueing.ReasonNamespaceNotAllowed, "queue %s %s", q.Name, why)
}

// limitsNeeded returns the verdict on asks that may not use a queue without limits.
func limitsNeeded(q *state.Queue) queueing.Verdict {
	return waits(queueing.ReasonNamespaceNotAllowed,
		"queue %s has no limits, and a guarded namespace needs an administrator's permission for such a queue: use a queue with quotas, or ask an "+
			"administrator to add queue %s to the namespace's allowed queues or to name the namespace in the queue's namespaceSelector", q.Name, q.Name)
}

// QueueRemedies returns what would make a queue usable.
func (r *Rules) QueueRemedies(q *state.Queue) []string {
	if q.Config == nil {
		return []string{fmt.Sprintf("create queue %s, or name another one in spec.queue.name", q.Name)}
	}
	switch at := r.hierarchy.Forest.At(q.Node); at.Problem {
	case quota.ParentNotFound:
		faulty := r.hierarchy.Forest.At(at.Culprit)
		return []string{fmt.Sprintf("create queue %s, or change the parent of queue %s", faulty.ConfiguredParent, faulty.Name)}
	case quota.Cycle:
		return []string{fmt.Sprintf("change the parent of queue %s, which is its own ancestor", r.hierarchy.Forest.At(at.Culprit).Name)}
	}
	if q.NoQuota {
		return []string{fmt.Sprintf("set spec.flavors with quotas in queue %s, or spec.unlimited: true in its root %s", q.Name, q.Root().Name)}
	}
	return []string{"name a leaf queue in spec.queue.name: " + phrases.List(r.hierarchy.Leaves(q.Node))}
}
