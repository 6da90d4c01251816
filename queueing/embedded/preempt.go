// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// preemption looks for a set of applications whose room lets one ask in.
//
// While it looks, the forest is as it will be: what goes anyway is gone, and the ask is charged. Who may be displaced for it:
//   - in the same queue, as Preemption.Within says;
//   - in another queue, as Preemption.Reclaim says, if what is in short supply was borrowed there, on every level up to the node that
//     both are below, and the ask stays within the quota of its own side below that node; asks that do not, as Preemption.Borrow says.
//
// Only applications count that use what is in short supply.
type preemption struct {
	engine *Engine
	line   *line
	app    *app
	need   quota.Vector
	// short is the part of the need for which there is no room.
	short quota.Vector
	// path is the queue of the ask and all above it, the queue first.
	path []*queue
}

// victims returns whom to displace, so that an ask of the line fits in some option, and that option; nobody if there is no way.
func (e *Engine) victims(l *line) (*option, []*app) {
	for i := range l.options {
		o := &l.options[i]
		p := &preemption{engine: e, line: l, app: l.first(), need: o.least, short: e.forest.Short(l.queue.node, o.least)}
		for q := l.queue; q != nil; q = q.up {
			p.path = append(p.path, q)
		}
		if found := p.search(); len(found) > 0 {
			return o, found
		}
	}
	return nil, nil
}

// search finds a set none of which could be spared. The forest is left as it was.
func (p *preemption) search() []*app {
	if p.short.Empty() {
		return nil // there will be room when those have gone who go anyway
	}
	p.engine.forest.Add(p.line.queue.node, p.need)
	defer p.engine.forest.Remove(p.line.queue.node, p.need)
	if !p.hopeful() {
		return nil
	}
	chosen := p.gather()
	for spared := true; spared; { // who may be spared depends on who else is
		chosen, spared = p.spare(chosen)
	}
	legal := p.fits() && p.allLegal(chosen)
	for _, v := range chosen {
		p.engine.putBack(v)
	}
	if !legal {
		return nil
	}
	return chosen
}

// hopeful says, from the queue of the ask and those above it alone, that somebody might be displaced: in the queue itself, or elsewhere
// because the ask stays within the quota of its side on some level or may borrow.
func (p *preemption) hopeful() bool {
	policy := p.line.queue.config.Preemption
	if policy.Within != PreemptNever && policy.Within != "" || policy.Borrow == PreemptLowerPriority {
		return true
	}
	return slices.ContainsFunc(p.path[:len(p.path)-1], func(side *queue) bool { return !p.engine.forest.Over(side.node, p.short) })
}

// spare puts one of the chosen back who is not needed: the last to be displaced, first. It returns the others and whether there was one.
func (p *preemption) spare(chosen []*app) (rest []*app, spared bool) {
	for i := len(chosen) - 1; i >= 0 && len(chosen) > 1; i-- {
		p.engine.putBack(chosen[i])
		rest := slices.Delete(slices.Clone(chosen), i, i+1)
		if p.fits() && p.allLegal(rest) {
			return rest, true
		}
		p.engine.takeOut(chosen[i])
	}
	return chosen, false
}

// gather takes candidates out, in order, until the ask fits. With all of them and still no room it puts them back. Whom an ask of its
// own queue lets go may bring the ask within its quota, so that candidates become legal that were not: they are looked at again.
func (p *preemption) gather() []*app {
	candidates := p.candidates()
	var chosen []*app
	for progress := true; progress; {
		progress = false
		for i, v := range candidates {
			if v == nil || !p.legal(v) {
				continue
			}
			p.engine.takeOut(v)
			candidates[i], progress = nil, true
			if chosen = append(chosen, v); p.fits() {
				return chosen
			}
		}
	}
	for _, v := range chosen {
		p.engine.putBack(v)
	}
	return nil
}

// candidates are all in the tree that might be displaced, in the order in which they are: those of other queues first, then lower
// priority, then the newest grant.
func (p *preemption) candidates() []*app {
	var out []*app
	top := p.path[len(p.path)-1]
	for _, q := range top.tree.holding() {
		for _, v := range q.holders {
			if !v.held.goes() && !p.engine.displacements[p.displacing(v)] && v.held.vector.Touches(p.short) && p.allowed(v) {
				out = append(out, v)
			}
		}
	}
	slices.SortFunc(out, func(a, b *app) int {
		own := func(v *app) int {
			if v.held.queue == p.line.queue {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(own(a), own(b)), cmp.Compare(a.held.standing.Priority, b.held.standing.Priority),
			cmp.Compare(b.held.serial, a.held.serial), strings.Compare(a.key.UID, b.key.UID), compareKeys(a.key, b.key))
	})
	return out
}

func (p *preemption) displacing(v *app) displacement {
	return displacement{by: p.app.key, run: p.app.ask.run, victim: v.key}
}

// allowed says whether a policy lets the ask displace an application, as far as priority and age go.
func (p *preemption) allowed(v *app) bool {
	policy := p.line.queue.config.Preemption
	lower := v.held.standing.Priority < p.app.ask.priority
	if v.held.queue == p.line.queue {
		newer := v.held.standing.Priority == p.app.ask.priority && v.held.standing.QueuedAt.After(p.app.ask.queuedAt)
		return policy.Within == PreemptLowerPriority && lower || policy.Within == PreemptLowerOrNewerEqualPriority && (lower || newer)
	}
	return policy.Reclaim == PreemptAny || policy.Reclaim == PreemptLowerPriority && lower
}

// legal says whether an application may be displaced now.
func (p *preemption) legal(v *app) bool {
	if v.held.queue == p.line.queue {
		return true
	}
	common := v.held.queue
	for common != nil && !slices.Contains(p.path, common) {
		if !p.engine.forest.Over(common.node, p.short) {
			return false
		}
		common = common.up
	}
	if common == nil || common == p.line.queue {
		return false
	}
	side := p.path[slices.Index(p.path, common)-1] // of the ask, directly below the node that both are below
	return !p.engine.forest.Over(side.node, p.short) || p.mayBorrow(v)
}

// mayBorrow says whether an ask that borrows may displace an application all the same.
func (p *preemption) mayBorrow(v *app) bool {
	policy := p.line.queue.config.Preemption
	return policy.Borrow == PreemptLowerPriority && v.held.standing.Priority < p.app.ask.priority &&
		(policy.BorrowThreshold == nil || v.held.standing.Priority <= *policy.BorrowThreshold)
}

// allLegal says that each of some that were taken out might be displaced if it were the last of them.
func (p *preemption) allLegal(chosen []*app) bool {
	for _, v := range chosen {
		p.engine.putBack(v)
		legal := p.legal(v)
		p.engine.takeOut(v)
		if !legal {
			return false
		}
	}
	return true
}

// fits says that there is room for the ask.
func (p *preemption) fits() bool {
	p.engine.forest.Remove(p.line.queue.node, p.need)
	defer p.engine.forest.Add(p.line.queue.node, p.need)
	return p.engine.hasRoom(p.line, p.need)
}

// holding lists the queues of a tree in which something is held, in the order of their names.
func (t *tree) holding() []*queue {
	var out []*queue
	for _, q := range t.queues {
		if len(q.holders) > 0 {
			out = append(out, q)
		}
	}
	return out
}

// goes says that the room will be free before long.
func (h *holding) goes() bool { return h.standing.Leaving || h.wantedBack() != nil }

// wantedBack is why the room is asked back; nil while it may be kept.
func (h *holding) wantedBack() *queueing.Eviction {
	if h.evicted != nil {
		return h.evicted
	}
	if d := h.queue.drainedBy; d != nil {
		return &queueing.Eviction{Reason: queueing.ReasonQueueHeld, Message: named(d, h.queue) + " is drained (stopPolicy HoldAndDrain)"}
	}
	return nil
}
