// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
)

// reference is a second, slow implementation of the engine: it computes everything from the objects, recursively, and
// tries every ask. It uses neither package quota nor any code of the engine. Its numbers are small.
type reference struct {
	configs map[string]config.Queue
	// ghosts are the deleted queues between a grant and its root, with their last parents. parents are the last parents
	// of all queues.
	ghosts, parents map[string]string
	grants          map[queueing.Key]queueing.Grant
	// asks are the pending asks, including those behind a grant of the same key.
	asks map[queueing.Key]queueing.Ask
}

// cell is a resource in a flavor.
type cell struct{ flavor, resource string }

// noLimit stands for a limit that is not set.
const noLimit = 1 << 50

func newReference() *reference {
	return &reference{
		configs: map[string]config.Queue{}, ghosts: map[string]string{}, parents: map[string]string{},
		grants: map[queueing.Key]queueing.Grant{}, asks: map[queueing.Key]queueing.Ask{},
	}
}

func (r *reference) setQueues(queues []config.Queue) {
	known := maps.Clone(r.parents)
	r.configs, r.ghosts, r.parents = map[string]config.Queue{}, map[string]string{}, map[string]string{}
	for _, q := range queues {
		if q.Deleted {
			known[q.Name] = q.Parent
			continue
		}
		r.configs[q.Name] = q
		r.parents[q.Name] = q.Parent
	}
	for _, g := range r.grants {
		seen := map[string]bool{}
		for name := g.Queue; name != "" && !seen[name]; {
			seen[name] = true
			if q, live := r.configs[name]; live {
				name = q.Parent
				continue
			}
			parent, found := known[name]
			if !found {
				break
			}
			r.ghosts[name], r.parents[name] = parent, parent
			name = parent
		}
	}
}

// wanted returns the configured parent, if such a queue or ghost exists.
func (r *reference) wanted(name string) string {
	parent := r.parents[name]
	if _, exists := r.parents[parent]; !exists {
		return ""
	}
	return parent
}

// circle lists the members of the cycle to which a queue belongs.
func (r *reference) circle(name string) []string {
	members := []string{name}
	for at := r.wanted(name); at != "" && len(members) <= len(r.parents); at = r.wanted(at) {
		if at == name {
			return members
		}
		members = append(members, at)
	}
	return nil
}

func (r *reference) isGhost(name string) bool { _, is := r.ghosts[name]; return is }

// parent returns the parent of a queue, or "" for a root. Cycles are cut.
func (r *reference) parent(name string) string {
	members := r.circle(name)
	if len(members) > 0 && (r.isGhost(name) || !slices.ContainsFunc(members, r.isGhost)) {
		return ""
	}
	return r.wanted(name)
}

func (r *reference) path(name string) []string {
	var out []string
	for ; name != ""; name = r.parent(name) {
		out = append(out, name)
	}
	return out
}

func (r *reference) root(name string) string {
	path := r.path(name)
	return path[len(path)-1]
}

// top returns the topmost existing ancestor of an existing queue.
func (r *reference) top(name string) string {
	top := name
	for _, p := range r.path(name) {
		if r.isGhost(p) {
			break
		}
		top = p
	}
	return top
}

// noQuota reports whether no queue of the tree has a quota and its root is not unlimited.
func (r *reference) noQuota(name string) bool {
	top := r.top(name)
	for other, q := range r.configs {
		if r.top(other) == top && slices.ContainsFunc(q.Flavors, func(f config.FlavorQuota) bool { return len(f.Quotas) > 0 }) {
			return false
		}
	}
	return !r.configs[top].Unlimited
}

// broken reports whether a queue cannot be used because of an error in its tree.
func (r *reference) broken(name string) bool {
	if r.noQuota(name) {
		return true
	}
	for _, p := range r.path(name) {
		wanted := r.configs[p].Parent
		_, stands := r.configs[wanted]
		if !r.isGhost(p) && (wanted != "" && !stands || len(r.circle(p)) > 0 && r.parent(p) == "") {
			return true
		}
	}
	return false
}

func (r *reference) children(name string) []string {
	var out []string
	for _, other := range slices.Sorted(maps.Keys(r.parents)) {
		if r.parent(other) == name {
			out = append(out, other)
		}
	}
	return out
}

func (r *reference) isLeaf(name string) bool {
	return !slices.ContainsFunc(r.children(name), func(c string) bool { return !r.isGhost(c) })
}

// limits returns the nominal quota, the borrowing limit and the lending limit of a queue.
func (r *reference) limits(name string, at cell) (int64, int64, int64) {
	for _, f := range r.configs[name].Flavors {
		for _, q := range f.Quotas {
			if f.Name == at.flavor && q.Resource == at.resource {
				return q.Nominal, orNoLimit(q.Borrowing), orNoLimit(q.Lending)
			}
		}
	}
	return 0, noLimit, noLimit
}

func orNoLimit(limit *int64) int64 {
	if limit == nil {
		return noLimit
	}
	return *limit
}

// tracked reports whether any queue of the tree names the resource.
func (r *reference) tracked(name, resource string) bool {
	for other, q := range r.configs {
		for _, f := range q.Flavors {
			named := slices.ContainsFunc(f.Quotas, func(q config.ResourceQuota) bool { return q.Resource == resource })
			if named && r.top(other) == r.top(name) {
				return true
			}
		}
	}
	return false
}

func (r *reference) subtree(name string, at cell) int64 {
	out, _, _ := r.limits(name, at)
	for _, c := range r.children(name) {
		out += r.subtree(c, at) - r.local(c, at)
	}
	return out
}

func (r *reference) local(name string, at cell) int64 {
	_, _, lending := r.limits(name, at)
	switch {
	case r.isGhost(r.parent(name)):
		return r.subtree(name, at)
	case lending != noLimit:
		return max(0, r.subtree(name, at)-lending)
	}
	return 0
}

// own returns what the grants of this very queue hold.
func (r *reference) own(name string, at cell) int64 {
	var out int64
	for _, g := range r.grants {
		if g.Queue == name {
			out += held(g, at)
		}
	}
	return out
}

func held(g queueing.Grant, at cell) int64 {
	var out int64
	for _, p := range g.PodSets {
		if p.Flavor == at.flavor {
			out += int64(p.Count) * p.Requests[at.resource]
		}
	}
	return out
}

func (r *reference) usage(name string, at cell) int64 {
	out := r.own(name, at)
	for _, c := range r.children(name) {
		out += max(0, r.usage(c, at)-r.local(c, at))
	}
	return out
}

func (r *reference) available(name string, at cell) int64 {
	parent := r.parent(name)
	subtree, local, usage := r.subtree(name, at), r.local(name, at), r.usage(name, at)
	if parent == "" {
		return subtree - usage
	}
	above := r.available(parent, at)
	if _, borrowing, _ := r.limits(name, at); borrowing != noLimit {
		above = min(above, subtree-local-max(0, usage-local)+borrowing)
	}
	return max(0, local-usage) + above
}

func (r *reference) potential(name string, at cell) int64 {
	parent := r.parent(name)
	if parent == "" {
		return r.subtree(name, at)
	}
	out := r.local(name, at) + r.potential(parent, at)
	if _, borrowing, _ := r.limits(name, at); borrowing != noLimit {
		out = min(out, r.subtree(name, at)+borrowing)
	}
	return out
}

// grant returns the grant of an ask in the given flavors, with that many pods in its elastic pod set.
func (r *reference) grant(a queueing.Ask, where []string, elastic int32) queueing.Grant {
	g := queueing.Grant{Run: a.Run, Attempt: a.Attempt, Gate: state.GateName, Queue: a.Queue, Priority: a.Priority}
	if above := r.path(a.Queue)[1:]; len(above) > 0 {
		g.Ancestors = above
	}
	for i, p := range a.PodSets {
		count := p.Count
		if p.Least() < p.Count {
			count = elastic
		}
		g.PodSets = append(g.PodSets, queueing.PodSetGrant{Name: p.Name, Flavor: where[i], Count: count, Requests: p.Requests})
	}
	return g
}

// placements returns all assignments of the pod sets to existing flavors of the queue that they accept.
func (r *reference) placements(a queueing.Ask) [][]string {
	offered := []string{config.DefaultFlavor}
	for _, name := range r.path(a.Queue) {
		if flavors := r.configs[name].Flavors; len(flavors) > 0 {
			offered = nil
			for _, f := range flavors {
				offered = append(offered, f.Name)
			}
			break
		}
	}
	ways := [][]string{nil}
	for _, p := range a.PodSets {
		var longer [][]string
		for _, way := range ways {
			for _, f := range offered {
				if slices.Contains(existing, f) && (len(p.Flavors) == 0 || slices.Contains(p.Flavors, f)) {
					longer = append(longer, append(slices.Clone(way), f))
				}
			}
		}
		ways = longer
	}
	return ways
}

// bounds returns the smallest and the largest count of the elastic pod set.
func bounds(a queueing.Ask) (int32, int32) {
	for _, p := range a.PodSets {
		if p.Least() < p.Count {
			return p.Least(), p.Count
		}
	}
	return 0, 0
}

// within reports whether, for each resource that the tree limits, the grant needs no more than limit returns.
func (r *reference) within(g queueing.Grant, limit func(queue string, at cell) int64) bool {
	for _, p := range g.PodSets {
		for resource := range p.Requests {
			at := cell{p.Flavor, resource}
			if need := held(g, at); need > 0 && r.tracked(g.Queue, resource) && need > limit(g.Queue, at) {
				return false
			}
		}
	}
	return true
}

// fit returns the largest grant that fits, in the first placement in which it does.
func (r *reference) fit(a queueing.Ask) (queueing.Grant, bool) {
	least, most := bounds(a)
	for count := most; count >= least; count-- {
		if g, fits := r.placed(a, count); fits {
			return g, true
		}
	}
	return queueing.Grant{}, false
}

// placed returns the grant with that many pods in the first placement in which it fits, or in the one that borrows the
// least if the queue prefers that.
func (r *reference) placed(a queueing.Ask, count int32) (best queueing.Grant, fits bool) {
	preference := r.configs[a.Queue].FlavorPreference
	for _, where := range r.placements(a) {
		g := r.grant(a, where, count)
		switch {
		case !r.within(g, r.available):
		case preference != config.LeastBorrowing && preference != config.LeastPreemption:
			return g, true
		case !fits || r.distanceOf(g) < r.distanceOf(best):
			best, fits = g, true
		}
	}
	return best, fits
}

// couldFit reports whether the ask, with its minimum of pods, fits in some placement as far as a limit is concerned.
func (r *reference) couldFit(a queueing.Ask, limit func(queue string, at cell) int64) bool {
	least, _ := bounds(a)
	return slices.ContainsFunc(r.placements(a), func(where []string) bool { return r.within(r.grant(a, where, least), limit) })
}

// distance returns the height of the lowest queue that has enough for the ask, with its minimum of pods and in the
// placement that it would get.
func (r *reference) distance(a queueing.Ask) int {
	least, _ := bounds(a)
	g, _ := r.placed(a, least)
	return r.distanceOf(g)
}

func (r *reference) distanceOf(g queueing.Grant) int {
	out := 0
	for _, at := range cells() {
		if need := held(g, at); need > 0 && r.tracked(g.Queue, at.resource) {
			out = max(out, r.height(r.lender(g.Queue, at, need)))
		}
	}
	return out
}

// lender returns the lowest queue, from the given one upwards, that can provide an amount. On each level, what the
// queue does not lend is subtracted from what has to come from above.
func (r *reference) lender(name string, at cell, need int64) string {
	if r.parent(name) == "" || need <= r.subtree(name, at)-r.usage(name, at) {
		return name
	}
	return r.lender(r.parent(name), at, need-max(0, r.local(name, at)-r.usage(name, at)))
}

// height returns the number of levels below a queue.
func (r *reference) height(name string) int {
	out := 0
	for _, c := range r.children(name) {
		if !r.isGhost(c) {
			out = max(out, r.height(c)+1)
		}
	}
	return out
}

// inadmissible returns the reason why an ask cannot be admitted whatever is in use, or "".
func (r *reference) inadmissible(a queueing.Ask) string {
	q, exists := r.configs[a.Queue]
	switch {
	case !exists, r.broken(a.Queue), !r.isLeaf(a.Queue):
		return queueing.ReasonReferenceNotFound
	case q.Admits == nil, !q.Admits(a.NamespaceLabels):
		return queueing.ReasonNamespaceNotAllowed
	case a.NeedsLimits && !q.NamesNamespaces && !slices.ContainsFunc(resources, func(resource string) bool { return r.tracked(a.Queue, resource) }):
		return queueing.ReasonNamespaceNotAllowed
	case len(r.placements(a)) == 0:
		return queueing.ReasonFlavorMismatch
	case !r.couldFit(a, r.potential):
		return queueing.ReasonExceedsQuota
	}
	return ""
}

// stop returns the reason why a queue admits nothing now, or "".
func (r *reference) stop(queue string) string {
	reason := ""
	for _, name := range r.path(queue) {
		q := r.configs[name]
		if q.Stop == config.StopHold || q.Stop == config.StopHoldAndDrain {
			return queueing.ReasonQueueHeld
		}
		if q.MaxRunning != nil && r.admitted(name) >= *q.MaxRunning {
			reason = queueing.ReasonMaxRunning
		}
	}
	return reason
}

// admitted returns the number of grants of a queue and those below it.
func (r *reference) admitted(name string) int32 {
	var out int32
	for _, g := range r.grants {
		if slices.Contains(r.counted(g.Queue), name) {
			out++
		}
	}
	return out
}

// counted returns the queues in which a grant counts: from its own up to the root, but not across the edge from a child
// of a ghost to the ghost.
func (r *reference) counted(name string) []string {
	if _, exists := r.parents[name]; !exists {
		return nil
	}
	path := r.path(name)
	for i := range path[:len(path)-1] {
		if !r.isGhost(path[i]) && r.isGhost(path[i+1]) {
			return path[:i+1]
		}
	}
	return path
}

// waiting returns the pending asks in order, except for those behind a grant of the same key.
func (r *reference) waiting() []queueing.Ask {
	var out []queueing.Ask
	for key, a := range r.asks {
		if _, holds := r.grants[key]; !holds {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, inOrder)
	return out
}

func inOrder(a, b queueing.Ask) int {
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.QueuedAt.Compare(b.QueuedAt), strings.Compare(a.Key.UID, b.Key.UID),
		strings.Compare(a.Key.Namespace, b.Key.Namespace), strings.Compare(a.Key.Name, b.Key.Name))
}

// candidate is the first ask of a queue that fits.
type candidate struct {
	ask      queueing.Ask
	distance int
	// side is the child of the current queue below which the candidate is.
	side string
}

// next returns the ask to grant next. The first fitting asks of all queues compete, from the leaves upwards.
func (r *reference) next(root string) (queueing.Ask, bool) {
	firsts := map[string]*candidate{}
	seen := map[string]bool{}
	for _, a := range r.waiting() {
		if seen[a.Queue] || r.inadmissible(a) != "" || r.root(a.Queue) != root || r.stop(a.Queue) != "" {
			continue
		}
		if _, fits := r.fit(a); !fits {
			seen[a.Queue] = r.configs[a.Queue].Strategy == config.StrictFIFO
			continue
		}
		seen[a.Queue] = true
		firsts[a.Queue] = &candidate{a, r.distance(a), a.Queue}
	}
	if best := r.best(root, firsts); best != nil {
		return best.ask, true
	}
	return queueing.Ask{}, false
}

// best returns the candidate that wins among a queue and all queues below it, or nil.
func (r *reference) best(name string, firsts map[string]*candidate) *candidate {
	best := firsts[name]
	for _, child := range r.children(name) {
		c := r.best(child, firsts)
		if c == nil {
			continue
		}
		c.side = child
		if best == nil || r.before(name, c, best) {
			best = c
		}
	}
	return best
}

// before reports whether one of two candidates below a queue goes first.
func (r *reference) before(parent string, c, d *candidate) bool {
	if r.configs[parent].FairSharing {
		if over := r.borrows(c.side, c.ask); over != r.borrows(d.side, d.ask) {
			return !over
		}
		if order := r.share(c.side, c.ask).Cmp(r.share(d.side, d.ask)); order != 0 {
			return order < 0
		}
	}
	if c.distance != d.distance {
		return c.distance < d.distance
	}
	return inOrder(c.ask, d.ask) < 0
}

// share returns the weighted dominant share of a queue as it would be with an ask below it granted, with the minimum of
// pods.
func (r *reference) share(name string, a queueing.Ask) *big.Rat {
	least, _ := bounds(a)
	if g, fits := r.placed(a, least); fits {
		r.grants[a.Key] = g
	}
	defer delete(r.grants, a.Key)
	return r.shareNow(name)
}

// borrows reports whether a queue would use more than its own quota of what an ask below it needs if that were granted.
func (r *reference) borrows(name string, a queueing.Ask) bool {
	least, _ := bounds(a)
	g, fits := r.placed(a, least)
	if fits {
		r.grants[a.Key] = g
	}
	defer delete(r.grants, a.Key)
	return r.parent(name) != "" && slices.ContainsFunc(cells(), func(at cell) bool {
		return held(g, at) > 0 && r.tracked(name, at.resource) && r.usage(name, at) > r.subtree(name, at)
	})
}

// shareNow returns the current weighted dominant share of a queue.
func (r *reference) shareNow(name string) *big.Rat {
	out := new(big.Rat)
	for _, resource := range resources {
		var borrowed, lendable int64
		for _, at := range cells() {
			if at.resource == resource {
				borrowed += max(0, r.usage(name, at)-r.subtree(name, at))
				lendable += r.potential(r.parent(name), at)
			}
		}
		switch weight := int64(r.configs[name].Weight); {
		case borrowed == 0 || !r.tracked(name, resource):
		case lendable == 0 || weight == 0:
			return big.NewRat(noLimit, 1)
		default:
			if s := big.NewRat(borrowed, lendable*weight); s.Cmp(out) > 0 {
				out = s
			}
		}
	}
	return out
}

// cycle decides for one tree, and returns the grants in their order.
func (r *reference) cycle(root string) []state.Decision {
	var out []state.Decision
	for {
		a, found := r.next(root)
		if !found {
			return out
		}
		g, _ := r.fit(a)
		delete(r.asks, a.Key)
		r.grants[a.Key] = g
		out = append(out, state.Decision{Key: a.Key, Root: root, Grant: g})
	}
}

// roots returns the roots of all trees.
func (r *reference) roots() []string {
	var out []string
	for name := range r.parents {
		if r.parent(name) == "" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// verdict returns the state and the reason of an ask after everything was decided.
func (r *reference) verdict(key queueing.Key) (queueing.State, string) {
	a, waits := r.asks[key]
	_, holds := r.grants[key]
	switch {
	case waits && holds:
		return queueing.Waiting, queueing.ReasonWaitingForQuota
	case holds:
		return queueing.Granted, ""
	case !waits:
		return queueing.Undecided, ""
	}
	if reason := r.inadmissible(a); reason == queueing.ReasonExceedsQuota {
		return queueing.Refused, reason
	} else if reason != "" {
		return queueing.Waiting, reason
	}
	return queueing.Waiting, cmp.Or(r.stop(a.Queue), queueing.ReasonWaitingForQuota)
}
