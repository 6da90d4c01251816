// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// hierarchy holds the configuration: the forest of queues with their quotas, and the flavors.
type hierarchy struct {
	forest *quota.Forest
	queues map[string]*queue
	// trees is sorted by root name. The first tree, unknown, has the empty name and holds the queues that do not exist.
	trees   []*tree
	unknown *tree
	// configs and flavors are the configuration as it was set.
	configs []config.Queue
	flavors map[string]*config.Flavor
}

// anyBorrowing reports whether a queue of the tree borrows quota.
func (hr *hierarchy) anyBorrowing(t *tree) bool {
	return slices.ContainsFunc(t.queues, func(q *queue) bool { return hr.forest.Borrowing(q.node) })
}

// blockedHeads returns the heads that were blocked when their queues were last evaluated.
func (hr *hierarchy) blockedHeads() []*app {
	var out []*app
	for _, t := range hr.trees {
		for _, q := range t.pendingQueues {
			if q.blockedHead != nil && q.blockedHead.class != nil && q.blockedHead.class.queue == q {
				out = append(out, q.blockedHead)
			}
		}
	}
	return out
}

// lastParent returns the last known parent of a queue that does not exist.
func (hr *hierarchy) lastParent(name string, c *config.Queues) (string, bool) {
	if parent, found := c.Deleted[name]; found {
		return parent, true
	}
	if n := hr.forest.Find(name); n != quota.None {
		return hr.forest.At(n).ConfiguredParent, true
	}
	return "", false
}

// firstMissing returns the first queue that does not exist on the configured path from a queue to its root, or the
// empty string if all exist.
func (hr *hierarchy) firstMissing(name string) string {
	for range hr.forest.Nodes() + 1 { // the bound ends the loop for queues in a cycle, none of which is missing
		n := hr.forest.Find(name)
		if n == quota.None {
			return name
		}
		if name = hr.forest.At(n).ConfiguredParent; name == "" {
			return ""
		}
	}
	return ""
}

// attach creates the queue of a node, and its tree if there is none yet.
func (hr *hierarchy) attach(n quota.NodeID, c *config.Queues) {
	root := hr.forest.At(hr.forest.At(n).Root).Name
	at, found := slices.BinarySearchFunc(hr.trees, root, func(t *tree, root string) int { return strings.Compare(t.root, root) })
	if !found {
		hr.trees = slices.Insert(hr.trees, at, newTree(root))
	}
	q := newQueue(hr.forest.At(n).Name, hr.trees[at])
	q.node = n
	if !hr.forest.At(n).DeletedInUse {
		q.config = c.Find(q.name)
	}
	hr.queues[q.name] = q
	q.tree.queues = append(q.tree.queues, q)
}

// configureQueue sets what a queue inherits from the queues above it.
func (hr *hierarchy) configureQueue(q *queue) {
	if p := hr.forest.At(q.node).Parent; p != quota.None {
		q.parent = hr.queues[hr.forest.At(p).Name]
	}
	for n := hr.forest.At(q.node).Parent; n != quota.None; n = hr.forest.At(n).Parent {
		q.ancestors = append(q.ancestors, hr.forest.At(n).Name)
	}
	q.tree.fairSharing = q.tree.fairSharing || q.fairSharing()
	for n := q.node; n != quota.None; n = hr.forest.At(n).Parent {
		above := hr.queues[hr.forest.At(n).Name]
		if above.config == nil {
			continue
		}
		if q.stoppedBy == nil && above.config.Stopped() {
			q.stoppedBy = above
		}
		if q.drainedBy == nil && above.config.Stop == config.StopHoldAndDrain {
			q.drainedBy = above
		}
		if q.flavors == nil {
			q.flavors, q.flavorsOf = above.config.FlavorNames(), above
		}
	}
	if q.flavors == nil {
		q.flavors, q.flavorsOf = []string{config.DefaultFlavor}, nil
	}
}

// defect returns why a queue can admit nothing, or the empty string if there is no such reason.
func (hr *hierarchy) defect(q *queue) string {
	if q.config == nil {
		return fmt.Sprintf("queue %s does not exist", q.name)
	}
	if at := hr.forest.At(q.node); at.Problem != quota.NoProblem {
		return hr.problemText(at)
	}
	if q.noQuota {
		return noQuota(q)
	}
	return ""
}

// queueInadmissible returns the verdict for a queue that cannot admit askers at all. It is Undecided if the queue can.
func (hr *hierarchy) queueInadmissible(q *queue) queueing.Verdict {
	if defect := hr.defect(q); defect != "" {
		return unusable(defect)
	}
	if len(hr.forest.At(q.node).Children) > 0 {
		return notLeaf(q.name, hr.leaves(q.node))
	}
	return queueing.Verdict{}
}

// queue returns the queue with this name, and creates one that does not exist (without configuration) if the name is
// unknown.
func (hr *hierarchy) queue(name string) *queue {
	q := hr.queues[name]
	if q == nil {
		q = newQueue(name, hr.unknown)
		hr.queues[name] = q
	}
	return q
}

// dropIfUnused drops a queue that does not exist once no ask names it and no grant is charged to it.
func (hr *hierarchy) dropIfUnused(q *queue) {
	if q.node == quota.None && len(q.holders) == 0 && len(q.classes) == 0 {
		delete(hr.queues, q.name)
	}
}

// leaves returns the names of the leaf queues below a node, which are those that admit askers.
func (hr *hierarchy) leaves(n quota.NodeID) []string {
	var out []string
	for next := slices.Clone(hr.forest.At(n).Children); len(next) > 0; next = next[1:] {
		children := hr.forest.At(next[0]).Children
		if len(children) == 0 {
			out = append(out, hr.forest.At(next[0]).Name)
		}
		next = append(next, children...)
	}
	slices.Sort(out)
	return out
}

// nearestOption returns the index of the first option with the shortest borrowing distance for a class.
func (hr *hierarchy) nearestOption(class *equivalenceClass) int {
	nearest, shortest := 0, 0
	for i := range class.options {
		distance := hr.forest.BorrowingDistance(class.queue.node, class.options[i].minNeed)
		if distance == 0 {
			return i
		}
		if i == 0 || distance < shortest {
			nearest, shortest = i, distance
		}
	}
	return nearest
}

// borrowingDistance returns how far up the tree the first ask of a class borrows in its chosen option.
func (hr *hierarchy) borrowingDistance(class *equivalenceClass) int {
	return hr.forest.BorrowingDistance(class.queue.node, class.options[class.choice].minNeed)
}

// needWithinQuota returns the need of a class in its first option that stays within the quota of its queue, and true,
// else the need in its first option, and false.
func (hr *hierarchy) needWithinQuota(class *equivalenceClass) (need quota.Vector, within bool) {
	for i := range class.options {
		beyond := slices.ContainsFunc(hr.forest.Needs(class.queue.node, class.options[i].minNeed), func(b quota.Block) bool {
			return b.Need > hr.forest.Account(class.queue.node, b.Cell).Limit().Nominal
		})
		if !beyond {
			return class.options[i].minNeed, true
		}
	}
	return class.options[0].minNeed, false
}

// exceedsQuota returns the verdict on asks that would not fit even if the queue were empty. It describes their first
// placement, and names each limit that would have to be raised.
func (hr *hierarchy) exceedsQuota(class *equivalenceClass, search *placementSearch) queueing.Verdict {
	n := class.queue.node
	var needs, raises []string
	for _, a := range quota.Summed(class.signature.amounts(search.preferred(), class.signature.minCount())) {
		if raise := hr.raises(n, a); raise != "" {
			needs = append(needs, fmt.Sprintf("%s; queue %s can never use more than %s", needsText(class, quota.Block{Cell: a.Cell, Need: a.Value}),
				class.queue.name, amountText(a.Resource, hr.forest.Account(n, a.Cell).Limit().Potential)))
			raises = append(raises, raise)
		}
	}
	nor := ""
	if search.severalFlavors() {
		nor = ", nor enough of another flavor"
	}
	return queueing.Verdict{State: queueing.Refused, Reason: queueing.ReasonExceedsQuota, Message: fmt.Sprintf(
		"%s%s: request less, or raise %s", strings.Join(needs, "; "), nor, strings.Join(raises, " and "))}
}

// raises names the limits that must be raised so that a queue could ever hold an amount, and by how much. It returns
// the empty string if the queue already could.
func (hr *hierarchy) raises(n quota.NodeID, a quota.Amount) string {
	limits := hr.forest.Account(n, a.Cell).Raises(a.Value)
	text := func(fields string, r quota.Raise) string {
		return fmt.Sprintf("%s of queue %s by %s %s", fields, hr.forest.At(r.Node).Name, a.Resource, amountText(a.Resource, r.By))
	}
	switch len(limits) {
	case 0:
		return ""
	case 1:
		return text(hr.adjustableLimits(limits[0].Node), limits[0])
	}
	var all []string
	for _, r := range limits {
		fields := "borrowingLimit"
		if hr.forest.At(r.Node).Parent == quota.None {
			fields = "nominal"
		}
		all = append(all, text(fields, r))
	}
	own := quota.Raise{Node: n, By: a.Value - hr.forest.Account(n, a.Cell).Limit().Potential}
	return fmt.Sprintf("%s (or %s)", text("nominal", own), strings.Join(all, " and "))
}

// problemText describes the problem of a queue or of a queue above it.
func (hr *hierarchy) problemText(at *quota.Place) string {
	faulty := hr.forest.At(at.Culprit)
	name := "queue " + faulty.Name
	if faulty != at {
		name = fmt.Sprintf("queue %s, above %s,", faulty.Name, at.Name)
	}
	if at.Problem == quota.Cycle {
		return fmt.Sprintf("%s is its own ancestor: %s", name, hr.cycleText(at.Culprit))
	}
	return fmt.Sprintf("%s has the parent %s, which does not exist", name, faulty.ConfiguredParent)
}

// parentRemedy returns how to resolve a problem with the parent of a queue.
func (hr *hierarchy) parentRemedy(at *quota.Place) string {
	if at.Problem == quota.Cycle {
		return "change spec.parent of one of these"
	}
	faulty := hr.forest.At(at.Culprit)
	return fmt.Sprintf("create queue %s, or change spec.parent of queue %s", faulty.ConfiguredParent, faulty.Name)
}

// cycleText lists the members of a cycle of parents, starting and ending with the same one.
func (hr *hierarchy) cycleText(n quota.NodeID) string {
	start := hr.forest.At(n).Name
	names := []string{start}
	for name := hr.forest.At(n).ConfiguredParent; name != start; name = hr.forest.At(hr.forest.Find(name)).ConfiguredParent {
		names = append(names, name)
	}
	if len(names) > maxNamesListed {
		names = append(names[:maxNamesListed], "…")
	}
	return strings.Join(append(names, start), " → ")
}
