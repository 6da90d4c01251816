// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"strings"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// placementsExplained bounds the placements for which it is said what is missing.
const placementsExplained = 3

// unblock says what has to happen so that an ask is admitted: what somebody may do, or what others have to. The sentences name no other
// application, so that everybody may read them who may read the application.
func (e *Engine) unblock(a *app) []string {
	switch l := a.line; {
	case l == nil:
		return []string{fmt.Sprintf("run %d attempt %d of this application has to end: its grant goes back when none of its pods is active",
			a.held.grant.Run, a.held.grant.Attempt)}
	case l.barred():
		return e.mend(a)
	default:
		out := l.queue.open()
		switch {
		case a.claim != nil:
			return append(out, "those who have been asked for their room have to end: what they give back is kept for this application")
		case l.queue.strict() && l.queue.firstOfAll() != a:
			return append(out, fmt.Sprintf("the first in line has to start first: queue %s is StrictFIFO", l.queue.name))
		}
		if out = append(out, e.makeRoom(a)...); len(out) == 0 {
			out = []string{"nothing: there is room in quota, and it is looked at with the next decision"}
		}
		return out
	}
}

// firstOfAll is the first in line, whether there is room for it or not.
func (q *queue) firstOfAll() *app { return q.firstInLine(cause{}) }

// open says what has to happen so that a queue admits anybody.
func (q *queue) open() []string {
	var out []string
	for n := q; n != nil && n.config != nil; n = n.up {
		if n.config.stopped() {
			out = append(out, fmt.Sprintf("resume queue %s: its stopPolicy is %s", n.name, n.config.Stop))
		}
		if most := n.config.MaxRunning; most != nil && n.admitted >= *most {
			out = append(out, fmt.Sprintf("one of the %d applications admitted in queue %s has to end, or its maxRunning (%d) to be raised",
				n.admitted, n.name, *most))
		}
	}
	return out
}

// mend says what would let an ask into line that cannot be admitted as things stand.
func (e *Engine) mend(a *app) []string {
	l := a.line
	if l.shape.broken != "" {
		return []string{"report this: " + l.shape.broken + " is negative, which the operator must not ask for"}
	}
	switch l.bar.Reason {
	case queueing.ReasonNamespaceNotAllowed:
		if l.queue.config.Admits == nil && l.queue.config.SelectorText != "" {
			return []string{fmt.Sprintf("correct namespaceSelector of queue %s", l.queue.name)}
		}
		if l.queue.config.Admits != nil && l.queue.access(a.ask) == withoutLimits {
			return []string{fmt.Sprintf("name a queue with quotas, or let an administrator allow namespace %s the queue %s: by the namespace's list of allowed "+
				"queues, by the queue's namespaceSelector, or by giving the queue quotas", a.key.Namespace, l.queue.name)}
		}
		if l.queue.config.Admits == nil {
			return []string{fmt.Sprintf("set namespaceSelector of queue %s; {} admits every namespace", l.queue.name)}
		}
		return []string{fmt.Sprintf("label namespace %s so that it matches %s, or change namespaceSelector of queue %s",
			a.key.Namespace, l.queue.config.SelectorText, l.queue.name)}
	case queueing.ReasonFlavorMismatch:
		return []string{fmt.Sprintf("make the pods fit a flavor of queue %s (%s) by tolerations, nodeSelector or spec.queue.flavors, or add a flavor to the queue",
			l.queue.name, list(l.queue.flavors, leavesNamed))}
	case queueing.ReasonExceedsQuota:
		return e.raise(l)
	}
	return e.mendQueue(l.queue)
}

// mendQueue says what makes a queue usable.
func (e *Engine) mendQueue(q *queue) []string {
	if q.config == nil {
		return []string{fmt.Sprintf("create queue %s, or name another one in spec.queue.name", q.name)}
	}
	switch problem, culprit := e.forest.Problem(q.node); problem {
	case quota.ParentNotFound:
		return []string{fmt.Sprintf("create queue %s, or change parent of queue %s", e.forest.Wanted(culprit), e.forest.Name(culprit))}
	case quota.Cycle:
		return []string{fmt.Sprintf("change parent of queue %s, which is its own ancestor", e.forest.Name(culprit))}
	}
	return []string{"name a leaf queue in spec.queue.name: " + list(e.leaves(q.node), leavesNamed)}
}

// raise says which quotas have to be raised before the asks of a line could ever be admitted.
func (e *Engine) raise(l *line) []string {
	var out []string
	for _, need := range e.needs(l, e.wish(l)) {
		if need.Need <= need.Most {
			continue
		}
		cell := quota.Cell{Flavor: need.Flavor, Resource: need.Resource}
		at := e.forest.Ceiling(l.queue.node, cell)
		out = append(out, fmt.Sprintf("raise %s of queue %s for %s of flavor %s by %s, or ask for less",
			e.adjustable(at), e.forest.Name(at), need.Resource, need.Flavor, text(need.Resource, need.Need-need.Most)))
	}
	return out
}

// adjustable are the limits of a queue that let it use more.
func (e *Engine) adjustable(n quota.NodeID) string {
	if e.forest.Parent(n) == quota.None {
		return "nominal"
	}
	return "nominal or borrowingLimit"
}

// makeRoom says what has to be given back for an ask, in each of the first placements.
func (e *Engine) makeRoom(a *app) []string {
	l := a.line
	var out []string
	for i := range l.options[:min(len(l.options), placementsExplained)] {
		o := &l.options[i]
		missing := e.missing(l, o)
		if len(missing) == 0 {
			return e.keptBy(a)
		}
		if i > 0 {
			missing[0] = fmt.Sprintf("or, in %s, %s", l.shape.placed(o.where), missing[0])
		}
		out = append(out, missing...)
	}
	return out
}

// keptBy says for whom the room is kept that there is; nothing if it is not.
func (e *Engine) keptBy(a *app) []string {
	switch kept := e.keptFor(a); {
	case len(kept) == 0:
		return nil
	case e.keeperOf(a.line) != nil:
		keeper := e.keeperOf(a.line).queue
		return []string{fmt.Sprintf("the first in line of queue %s has to start: the room that is free is kept for it, because it has waited for longer than the headTimeout of its queue (%s)",
			keeper.name, keeper.headTimeout())}
	}
	return []string{"those have to start who take room back from others: what is free is kept for them"}
}

// missing says what has to be given back for a placement of a line, a sentence for each resource.
func (e *Engine) missing(l *line, o *option) []string {
	var out []string
	for _, need := range e.needs(l, o.where) {
		if len(need.InTheWay) > 0 {
			out = append(out, e.giveBack(need))
		}
	}
	return out
}

// giveBack says where a need has to be given back, or which limits to be raised instead. What is given back in a queue counts in those
// above it, too, so these are named only if they lack more.
func (e *Engine) giveBack(need Need) string {
	var back, raise []string
	most := int64(0)
	for _, limit := range need.InTheWay {
		n := e.forest.Find(limit.Queue)
		raise = append(raise, fmt.Sprintf("%s of queue %s", e.adjustable(n), limit.Queue))
		if limit.Missing <= most {
			continue
		}
		most = limit.Missing
		where := "in queue " + limit.Queue
		if len(e.forest.Children(n)) > 0 {
			where = "in and below queue " + limit.Queue
		}
		if len(back) > 0 {
			where = fmt.Sprintf("%s in all %s", text(need.Resource, most), where)
		}
		back = append(back, where)
	}
	return fmt.Sprintf("%s %s more of flavor %s has to be given back %s; or raise %s", need.Resource,
		text(need.Resource, need.InTheWay[0].Missing), need.Flavor, strings.Join(back, ", and "), strings.Join(raise, ", and "))
}

// placed names the flavors of a placement.
func (s *shape) placed(where placement) string {
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
