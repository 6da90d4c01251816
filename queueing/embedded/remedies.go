// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"strings"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// maxPlacementsExplained bounds the placements for which it is said what is missing.
const maxPlacementsExplained = 3

// remedies says what has to happen so that an ask is admitted: what somebody may do, or what others have to. The sentences name no other
// application, so that everybody may read them who may read the application.
func (e *Engine) remedies(a *app) []string {
	switch class := a.class; {
	case class == nil:
		return []string{fmt.Sprintf("run %d attempt %d of this application must end: its grant is released when none of its pods is active",
			a.held.grant.Run, a.held.grant.Attempt)}
	case class.isInadmissible():
		return e.inadmissibleRemedies(a)
	default:
		out := class.queue.unblockRemedies()
		switch {
		case a.claim != nil:
			return append(out, "the preempted applications must end; the quota that they release is reserved for this application")
		case class.queue.strict() && class.queue.currentHead() != a:
			return append(out, fmt.Sprintf("the head of queue %s must start first: the queue is StrictFIFO", class.queue.name))
		}
		if out = append(out, e.waitRemedies(a)...); len(out) == 0 {
			out = []string{"nothing: enough quota is free; it will be admitted in the next cycle"}
		}
		return out
	}
}

// currentHead is the first in line, whether there is room for it or not.
func (q *queue) currentHead() *app { return q.headUnlessBlocked(blockReason{}) }

// unblockRemedies says what has to happen so that a queue admits anybody.
func (q *queue) unblockRemedies() []string {
	var out []string
	for n := q; n != nil && n.config != nil; n = n.parent {
		if n.config.stopped() {
			out = append(out, fmt.Sprintf("resume queue %s: its stopPolicy is %s", n.name, n.config.Stop))
		}
		if most := n.config.MaxRunning; most != nil && n.admitted >= *most {
			out = append(out, fmt.Sprintf("wait for one of the %d admitted applications of queue %s to end, or raise its maxRunning (%d)",
				n.admitted, n.name, *most))
		}
	}
	return out
}

// inadmissibleRemedies says what would let an ask into line that cannot be admitted as things stand.
func (e *Engine) inadmissibleRemedies(a *app) []string {
	class := a.class
	if class.signature.broken != "" {
		return []string{"report this bug of the operator: " + class.signature.broken + " is negative"}
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
			class.queue.name, list(class.queue.flavors, maxNamesListed))}
	case queueing.ReasonExceedsQuota:
		return e.quotaRemedies(class)
	}
	return e.queueRemedies(class.queue)
}

// queueRemedies says what makes a queue usable.
func (e *Engine) queueRemedies(q *queue) []string {
	if q.config == nil {
		return []string{fmt.Sprintf("create queue %s, or name another one in spec.queue.name", q.name)}
	}
	switch problem, culprit := e.forest.Problem(q.node); problem {
	case quota.ParentNotFound:
		return []string{fmt.Sprintf("create queue %s, or change the parent of queue %s", e.forest.ConfiguredParent(culprit), e.forest.Name(culprit))}
	case quota.Cycle:
		return []string{fmt.Sprintf("change the parent of queue %s, which is its own ancestor", e.forest.Name(culprit))}
	}
	return []string{"name a leaf queue in spec.queue.name: " + list(e.leaves(q.node), maxNamesListed)}
}

// quotaRemedies says which quotas have to be raised before the asks of a line could ever be admitted.
func (e *Engine) quotaRemedies(class *equivalenceClass) []string {
	var out []string
	for _, need := range e.needs(class, e.preferredPlacement(class)) {
		if need.Need <= need.Most {
			continue
		}
		cell := quota.Cell{Flavor: need.Flavor, Resource: need.Resource}
		at := e.forest.Ceiling(class.queue.node, cell)
		out = append(out, fmt.Sprintf("raise %s of queue %s for %s of flavor %s by %s, or request less",
			e.adjustableLimits(at), e.forest.Name(at), need.Resource, need.Flavor, amountText(need.Resource, need.Need-need.Most)))
	}
	return out
}

// adjustableLimits are the limits of a queue that let it use more.
func (e *Engine) adjustableLimits(n quota.NodeID) string {
	if e.forest.Parent(n) == quota.None {
		return "nominal"
	}
	return "nominal or borrowingLimit"
}

// waitRemedies says what has to be given back for an ask, in each of the first placements.
func (e *Engine) waitRemedies(a *app) []string {
	class := a.class
	var out []string
	for i := range class.options[:min(len(class.options), maxPlacementsExplained)] {
		o := &class.options[i]
		missing := e.shortfallRemedies(class, o)
		if len(missing) == 0 {
			return e.reservationRemedies(a)
		}
		if i > 0 {
			missing[0] = fmt.Sprintf("or, in %s, %s", class.signature.placementText(o.where), missing[0])
		}
		out = append(out, missing...)
	}
	return out
}

// reservationRemedies says for whom the room is kept that there is; nothing if it is not.
func (e *Engine) reservationRemedies(a *app) []string {
	switch kept := e.reservedFor(a); {
	case len(kept) == 0:
		return nil
	case e.reservationBlocking(a.class) != nil:
		keeper := e.reservationBlocking(a.class).queue
		return []string{fmt.Sprintf("the head of queue %s must start first: free quota is reserved for it because it has waited longer than the queue's headTimeout (%s)",
			keeper.name, keeper.headTimeout())}
	}
	return []string{"applications that preempted others start first; the free quota is reserved for them"}
}

// shortfallRemedies says what has to be given back for a placement of a line, a sentence for each resource.
func (e *Engine) shortfallRemedies(class *equivalenceClass, o *option) []string {
	var out []string
	for _, need := range e.needs(class, o.where) {
		if len(need.BlockedBy) > 0 {
			out = append(out, e.shortfallRemedy(need))
		}
	}
	return out
}

// shortfallRemedy says where a need has to be given back, or which limits to be raised instead. What is given back in a queue counts in those
// above it, too, so these are named only if they lack more.
func (e *Engine) shortfallRemedy(need Need) string {
	var back, raise []string
	most := int64(0)
	for _, limit := range need.BlockedBy {
		n := e.forest.Find(limit.Queue)
		raise = append(raise, fmt.Sprintf("%s of queue %s", e.adjustableLimits(n), limit.Queue))
		if limit.Missing <= most {
			continue
		}
		most = limit.Missing
		where := "in queue " + limit.Queue
		if len(e.forest.Children(n)) > 0 {
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
