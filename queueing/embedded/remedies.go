// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"strings"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// maxPlacementsExplained is how many placements are explained.
const maxPlacementsExplained = 3

// remedies returns sentences for users about what must happen so that an ask is admitted. They name no other asker, so
// everyone who may read this asker may read them.
func (ex *explainer) remedies(a *app) []string {
	switch class := a.class; {
	case class == nil:
		return []string{fmt.Sprintf("run %d attempt %d must end: its grant is released when none of its pods is active",
			a.held.grant.Run, a.held.grant.Attempt)}
	case class.isInadmissible():
		return ex.inadmissibleRemedies(a)
	default:
		out := class.queue.unblockRemedies()
		switch {
		case a.claim != nil && len(a.claim.targets) == 0:
			return append(out, "holders of quota that are terminating must end; the quota that they release is reserved for this ask")
		case a.claim != nil:
			return append(out, "the preempted holders of quota must end; the quota that they release is reserved for this ask")
		case class.queue.strict() && class.queue.currentHead() != a:
			return append(out, fmt.Sprintf("the head of queue %s must start first: the queue is StrictFIFO", class.queue.name))
		}
		if out = append(out, ex.waitRemedies(a)...); len(out) == 0 {
			out = []string{"nothing: enough quota is free; it will be admitted in the next cycle"}
		}
		return out
	}
}

// currentHead returns the head of the queue, whether it fits or not.
func (q *queue) currentHead() *app { return q.headUnlessBlocked(blockReason{}) }

// unblockRemedies returns what must happen so that the queue admits any ask.
func (q *queue) unblockRemedies() []string {
	var out []string
	for n := q; n != nil && n.config != nil; n = n.parent {
		if n.config.Stopped() {
			out = append(out, fmt.Sprintf("resume queue %s: its stopPolicy is %s", n.name, n.config.Stop))
		}
		if most := n.config.MaxRunning; most != nil && n.admitted >= *most {
			out = append(out, fmt.Sprintf("wait for one of the %d that queue %s has admitted to end, or raise its maxRunning (%d)",
				n.admitted, n.name, *most))
		}
	}
	return out
}

// inadmissibleRemedies returns what would make an inadmissible ask admissible.
func (ex *explainer) inadmissibleRemedies(a *app) []string {
	class := a.class
	if class.signature.broken != "" {
		return []string{"report this bug in the operator: " + class.signature.broken + " is negative"}
	}
	switch class.inadmissible.Reason {
	case queueing.ReasonNamespaceNotAllowed:
		if class.queue.config.Admits == nil && class.queue.config.SelectorText != "" {
			return []string{fmt.Sprintf("correct the namespaceSelector of queue %s", class.queue.name)}
		}
		if class.queue.config.Admits != nil && class.queue.access(a.ask) == withoutLimits {
			return []string{fmt.Sprintf("use a queue with quotas, or ask an administrator to allow namespace %s to use queue %s: in the namespace's list of allowed "+
				"queues, in the queue's namespaceSelector, or by giving the queue quotas", a.key.Namespace, class.queue.name)}
		}
		if class.queue.config.Admits == nil {
			return []string{fmt.Sprintf("set the namespaceSelector of queue %s; {} admits every namespace", class.queue.name)}
		}
		return []string{fmt.Sprintf("label namespace %s so that it matches %s, or change the namespaceSelector of queue %s",
			a.key.Namespace, class.queue.config.SelectorText, class.queue.name)}
	case queueing.ReasonFlavorMismatch:
		return []string{fmt.Sprintf("change tolerations, nodeSelector or spec.queue.flavors so that the pods fit a flavor of queue %s (%s), or add a flavor to the queue",
			class.queue.name, list(class.queue.flavors))}
	case queueing.ReasonExceedsQuota:
		return ex.quotaRemedies(class)
	}
	return ex.queueRemedies(class.queue)
}

// queueRemedies returns what would make a queue usable.
func (ex *explainer) queueRemedies(q *queue) []string {
	if q.config == nil {
		return []string{fmt.Sprintf("create queue %s, or name another one in spec.queue.name", q.name)}
	}
	switch at := ex.hierarchy.forest.At(q.node); at.Problem {
	case quota.ParentNotFound:
		faulty := ex.hierarchy.forest.At(at.Culprit)
		return []string{fmt.Sprintf("create queue %s, or change the parent of queue %s", faulty.ConfiguredParent, faulty.Name)}
	case quota.Cycle:
		return []string{fmt.Sprintf("change the parent of queue %s, which is its own ancestor", ex.hierarchy.forest.At(at.Culprit).Name)}
	}
	if q.noQuota {
		return []string{fmt.Sprintf("set spec.flavors with quotas in queue %s, or spec.unlimited: true in its root %s", q.name, q.root().name)}
	}
	return []string{"name a leaf queue in spec.queue.name: " + list(ex.hierarchy.leaves(q.node))}
}

// quotaRemedies returns the quotas that must be raised so that the asks of a class could ever be admitted.
func (ex *explainer) quotaRemedies(class *equivalenceClass) []string {
	var out []string
	for _, a := range quota.Summed(class.signature.amounts(ex.preferredPlacement(class), class.signature.minCount())) {
		if raise := ex.hierarchy.raises(class.queue.node, a); raise != "" {
			out = append(out, fmt.Sprintf("raise %s of flavor %s, or request less", raise, a.Flavor))
		}
	}
	return out
}

// adjustableLimits names the limits of a queue that can be raised to let it use more.
func (hr *hierarchy) adjustableLimits(n quota.NodeID) string {
	if hr.forest.At(n).Parent == quota.None {
		return "nominal"
	}
	return "nominal or borrowingLimit"
}

// waitRemedies returns what must be released for an ask, for each of its first placements.
func (ex *explainer) waitRemedies(a *app) []string {
	class := a.class
	var out []string
	for i := range class.options[:min(len(class.options), maxPlacementsExplained)] {
		o := &class.options[i]
		missing := ex.shortfallRemedies(class, o)
		if len(missing) == 0 {
			return ex.reservationRemedies(a)
		}
		if i > 0 {
			missing[0] = fmt.Sprintf("or, in %s, %s", class.signature.placementText(o.where), missing[0])
		}
		out = append(out, missing...)
	}
	return out
}

// reservationRemedies describes for which asks the free quota is reserved, or returns nil if it is not reserved.
func (ex *explainer) reservationRemedies(a *app) []string {
	switch kept := ex.reservedFor(a); {
	case len(kept) == 0:
		return nil
	case ex.reservations.reservationBlocking(a.class) != nil:
		keeper := ex.reservations.reservationBlocking(a.class).queue
		return []string{fmt.Sprintf("the head of queue %s must start first: free quota is reserved for it because it has waited longer than the queue's headTimeout (%s)",
			keeper.name, keeper.headTimeout())}
	}
	return []string{"asks that preempted others start first; the free quota is reserved for them"}
}

// shortfallRemedies returns one sentence per resource about what must be released for a placement of a class.
func (ex *explainer) shortfallRemedies(class *equivalenceClass, o *option) []string {
	var out []string
	for _, need := range ex.needs(class, o.where) {
		if len(need.BlockedBy) > 0 {
			out = append(out, ex.shortfallRemedy(need))
		}
	}
	return out
}

// shortfallRemedy returns where quota must be released for a need, or which limits must be raised instead. A release in
// a queue also counts in the queues above it, so these are named only if they lack more.
func (ex *explainer) shortfallRemedy(need Need) string {
	var back, raise []string
	most := int64(0)
	for _, limit := range need.BlockedBy {
		n := ex.hierarchy.forest.Find(limit.Queue)
		raise = append(raise, fmt.Sprintf("%s of queue %s", ex.hierarchy.adjustableLimits(n), limit.Queue))
		if limit.Missing <= most {
			continue
		}
		most = limit.Missing
		where := "in queue " + limit.Queue
		if len(ex.hierarchy.forest.At(n).Children) > 0 {
			where = "in and below queue " + limit.Queue
		}
		if len(back) > 0 {
			where = fmt.Sprintf("%s in all %s", amountText(need.Resource, most), where)
		}
		back = append(back, where)
	}
	return fmt.Sprintf("%s %s more of flavor %s must be released %s; or raise %s", need.Resource,
		amountText(need.Resource, need.BlockedBy[0].Missing), need.Flavor, strings.Join(back, ", and "), strings.Join(raise, ", and "))
}

// placementText names the flavors of a placement.
func (s *signature) placementText(where placement) string {
	names := make([]string, 0, len(where))
	same := true
	for i, f := range where {
		names = append(names, fmt.Sprintf("%s for the %s", f.Name, s.podSets[i].Name))
		same = same && f.Name == where[0].Name
	}
	if same && len(where) > 0 {
		return "flavor " + where[0].Name
	}
	return "flavors " + strings.Join(names, " and ")
}
