// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"strings"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/phrases"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/placement"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// maxPlacementsExplained is how many placements are explained.
const maxPlacementsExplained = 3

// remedies returns sentences for users about what must happen so that an ask is admitted. They name no other asker, so
// everyone who may read this asker may read them.
func (v *View) remedies(a *state.Asker) []string {
	switch class := a.Class; {
	case class == nil:
		return []string{fmt.Sprintf("run %d attempt %d must end: its grant is released when none of its pods is active",
			a.Held.Grant.Run, a.Held.Grant.Attempt)}
	case class.IsInadmissible():
		return v.inadmissibleRemedies(a)
	default:
		out := unblockRemedies(class.Queue)
		switch {
		case a.Claim != nil && len(a.Claim.Targets) == 0:
			return append(out, "holders of quota that are terminating must end; the quota that they release is reserved for this ask")
		case a.Claim != nil:
			return append(out, "the preempted holders of quota must end; the quota that they release is reserved for this ask")
		case class.Queue.Strict() && class.Queue.HeadUnlessBlocked(state.BlockReason{}) != a:
			return append(out, fmt.Sprintf("the head of queue %s must start first: the queue is StrictFIFO", class.Queue.Name))
		}
		if out = append(out, v.waitRemedies(a)...); len(out) == 0 {
			out = []string{"nothing: enough quota is free; it will be admitted in the next cycle"}
		}
		return out
	}
}

// unblockRemedies returns what must happen so that the queue admits any ask.
func unblockRemedies(q *state.Queue) []string {
	var out []string
	for n := q; n != nil && n.Config != nil; n = n.Parent {
		if n.Config.Stopped() {
			out = append(out, fmt.Sprintf("resume queue %s: its stopPolicy is %s", n.Name, n.Config.Stop))
		}
		if most := n.Config.MaxRunning; most != nil && n.Admitted >= *most {
			out = append(out, fmt.Sprintf("wait for one of the %d that queue %s has admitted to end, or raise its maxRunning (%d)",
				n.Admitted, n.Name, *most))
		}
	}
	return out
}

// inadmissibleRemedies returns what would make an inadmissible ask admissible.
func (v *View) inadmissibleRemedies(a *state.Asker) []string {
	class, q := a.Class, a.Class.Queue
	switch reason := class.Inadmissible.Reason; {
	case class.Signature.Broken != "":
		return []string{"report this bug in the operator: " + class.Signature.Broken + " is negative"}
	case reason == queueing.ReasonNamespaceNotAllowed:
		return []string{accessRemedy(q, a)}
	case reason == queueing.ReasonFlavorMismatch:
		return []string{fmt.Sprintf("change tolerations, nodeSelector or spec.queue.flavors so that the pods fit a flavor of queue %s (%s), or add a flavor to the queue",
			q.Name, phrases.List(q.Flavors))}
	case reason == queueing.ReasonExceedsQuota:
		return v.quotaRemedies(class)
	}
	return v.rules.QueueRemedies(q)
}

// accessRemedy returns what would allow the namespace of an asker to use a queue.
func accessRemedy(q *state.Queue, a *state.Asker) string {
	switch {
	case q.Config.Admits == nil && q.Config.SelectorText != "":
		return fmt.Sprintf("correct the namespaceSelector of queue %s", q.Name)
	case q.Config.Admits == nil:
		return fmt.Sprintf("set the namespaceSelector of queue %s; {} admits every namespace", q.Name)
	case q.Access(a.Ask) == state.WithoutLimits:
		return fmt.Sprintf("use a queue with quotas, or ask an administrator to allow namespace %s to use queue %s: in the namespace's list of allowed "+
			"queues, in the queue's namespaceSelector, or by giving the queue quotas", a.Key.Namespace, q.Name)
	}
	return fmt.Sprintf("label namespace %s so that it matches %s, or change the namespaceSelector of queue %s", a.Key.Namespace, q.Config.SelectorText, q.Name)
}

// quotaRemedies returns the quotas that must be raised so that the asks of a class could ever be admitted.
func (v *View) quotaRemedies(class *state.Class) []string {
	var out []string
	for _, a := range quota.Summed(class.Signature.Amounts(v.preferredPlacement(class), class.Signature.MinCount())) {
		if raise := v.rules.Raises(class.Queue.Node, a); raise != "" {
			out = append(out, fmt.Sprintf("raise %s of flavor %s, or request less", raise, a.Flavor))
		}
	}
	return out
}

// waitRemedies returns what must be released for an ask, for each of its first placements.
func (v *View) waitRemedies(a *state.Asker) []string {
	class := a.Class
	var out []string
	for i := range class.Options[:min(len(class.Options), maxPlacementsExplained)] {
		o := &class.Options[i]
		missing := v.shortfallRemedies(class, o)
		if len(missing) == 0 {
			return v.reservationRemedies(a)
		}
		if i > 0 {
			missing[0] = fmt.Sprintf("or, in %s, %s", placementText(class.Signature, o.Where), missing[0])
		}
		out = append(out, missing...)
	}
	return out
}

// reservationRemedies describes for which asks the free quota is reserved, or returns nil if it is not reserved.
func (v *View) reservationRemedies(a *state.Asker) []string {
	switch kept := v.reservedFor(a); {
	case len(kept) == 0:
		return nil
	case v.reservations.Blocking(a.Class) != nil:
		keeper := v.reservations.Blocking(a.Class).Queue
		return []string{fmt.Sprintf("the head of queue %s must start first: free quota is reserved for it because it has waited longer than the queue's headTimeout (%s)",
			keeper.Name, keeper.HeadTimeout())}
	}
	return []string{"asks that preempted others start first; the free quota is reserved for them"}
}

// shortfallRemedies returns one sentence per resource about what must be released for a placement of a class.
func (v *View) shortfallRemedies(class *state.Class, o *placement.Option) []string {
	var out []string
	for _, need := range v.needs(class, o.Where) {
		if len(need.BlockedBy) > 0 {
			out = append(out, v.shortfallRemedy(need))
		}
	}
	return out
}

// shortfallRemedy returns where quota must be released for a need, or which limits must be raised instead. A release in
// a queue also counts in the queues above it, so these are named only if they lack more.
func (v *View) shortfallRemedy(need Need) string {
	var back, raise []string
	most := int64(0)
	for _, limit := range need.BlockedBy {
		n := v.hierarchy.Forest.Find(limit.Queue)
		raise = append(raise, fmt.Sprintf("%s of queue %s", v.rules.AdjustableLimits(n), limit.Queue))
		if limit.Missing <= most {
			continue
		}
		most = limit.Missing
		where := "in queue " + limit.Queue
		if len(v.hierarchy.Forest.At(n).Children) > 0 {
			where = "in and below queue " + limit.Queue
		}
		if len(back) > 0 {
			where = fmt.Sprintf("%s in all %s", phrases.Amount(need.Resource, most), where)
		}
		back = append(back, where)
	}
	return fmt.Sprintf("%s %s more of flavor %s must be released %s; or raise %s", need.Resource,
		phrases.Amount(need.Resource, need.BlockedBy[0].Missing), need.Flavor, strings.Join(back, ", and "), strings.Join(raise, ", and "))
}

// placementText names the flavors of a placement.
func placementText(s *placement.Signature, where placement.Choice) string {
	names := make([]string, 0, len(where))
	same := true
	for i, f := range where {
		names = append(names, fmt.Sprintf("%s for the %s", f.Name, s.PodSets[i].Name))
		same = same && f.Name == where[0].Name
	}
	if same && len(where) > 0 {
		return "flavor " + where[0].Name
	}
	return "flavors " + strings.Join(names, " and ")
}
