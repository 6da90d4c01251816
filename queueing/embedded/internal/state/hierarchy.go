// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package state

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/phrases"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/placement"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// Hierarchy holds the configuration: the forest of queues with their quotas, and the flavors.
type Hierarchy struct {
	Forest *quota.Forest
	Queues map[string]*Queue
	// Trees is sorted by root name. The first tree, unknown, has the empty name and holds the queues that do not exist.
	Trees   []*Tree
	unknown *Tree
	// Configs and Flavors are the configuration as it was set.
	Configs []config.Queue
	Flavors placement.Flavors
}

// AnyBorrowing reports whether a queue of the tree borrows quota.
func (hr *Hierarchy) AnyBorrowing(t *Tree) bool {
	return slices.ContainsFunc(t.Queues, func(q *Queue) bool { return hr.Forest.Borrowing(q.Node) })
}

// BlockedHeads returns the heads that were blocked when their queues were last evaluated.
func (hr *Hierarchy) BlockedHeads() []*Asker {
	var out []*Asker
	for _, t := range hr.Trees {
		for _, q := range t.PendingQueues {
			if q.Asks.BlockedHead != nil && q.Asks.BlockedHead.Class != nil && q.Asks.BlockedHead.Class.Queue == q {
				out = append(out, q.Asks.BlockedHead)
			}
		}
	}
	return out
}

// lastParent returns the last known parent of a queue that does not exist.
func (hr *Hierarchy) lastParent(name string, c *config.Queues) (string, bool) {
	if parent, found := c.Deleted[name]; found {
		return parent, true
	}
	if n := hr.Forest.Find(name); n != quota.None {
		return hr.Forest.At(n).ConfiguredParent, true
	}
	return "", false
}

// FirstMissing returns the first queue that does not exist on the configured path from a queue to its root, or the
// empty string if all exist.
func (hr *Hierarchy) FirstMissing(name string) string {
	for range hr.Forest.Nodes() + 1 { // the bound ends the loop for queues in a cycle, none of which is missing
		n := hr.Forest.Find(name)
		if n == quota.None {
			return name
		}
		if name = hr.Forest.At(n).ConfiguredParent; name == "" {
			return ""
		}
	}
	return ""
}

// attach creates the queue of a node, and its tree if there is none yet.
func (hr *Hierarchy) attach(n quota.NodeID, c *config.Queues) {
	root := hr.Forest.At(hr.Forest.At(n).Root).Name
	at, found := slices.BinarySearchFunc(hr.Trees, root, func(t *Tree, root string) int { return strings.Compare(t.Root, root) })
	if !found {
		hr.Trees = slices.Insert(hr.Trees, at, newTree(root))
	}
	q := newQueue(hr.Forest.At(n).Name, hr.Trees[at])
	q.Node = n
	if !hr.Forest.At(n).DeletedInUse {
		q.Config = c.Find(q.Name)
	}
	hr.Queues[q.Name] = q
	q.Tree.Queues = append(q.Tree.Queues, q)
}

// configureQueue sets what a queue inherits from the queues above it.
func (hr *Hierarchy) configureQueue(q *Queue) {
	if p := hr.Forest.At(q.Node).Parent; p != quota.None {
		q.Parent = hr.Queues[hr.Forest.At(p).Name]
	}
	for n := hr.Forest.At(q.Node).Parent; n != quota.None; n = hr.Forest.At(n).Parent {
		q.Ancestors = append(q.Ancestors, hr.Forest.At(n).Name)
	}
	q.Tree.FairSharing = q.Tree.FairSharing || q.FairSharing()
	for n := q.Node; n != quota.None; n = hr.Forest.At(n).Parent {
		above := hr.Queues[hr.Forest.At(n).Name]
		if above.Config == nil {
			continue
		}
		if q.StoppedBy == nil && above.Config.Stopped() {
			q.StoppedBy = above
		}
		if q.DrainedBy == nil && above.Config.Stop == config.StopHoldAndDrain {
			q.DrainedBy = above
		}
		if q.Flavors == nil {
			q.Flavors, q.FlavorsOf = above.Config.FlavorNames(), above
		}
	}
	if q.Flavors == nil {
		q.Flavors, q.FlavorsOf = []string{config.DefaultFlavor}, nil
	}
}

// Queue returns the queue with this name, and creates one that does not exist (without configuration) if the name is
// unknown.
func (hr *Hierarchy) Queue(name string) *Queue {
	q := hr.Queues[name]
	if q == nil {
		q = newQueue(name, hr.unknown)
		hr.Queues[name] = q
	}
	return q
}

// DropIfUnused drops a queue that does not exist once no ask names it and no grant is charged to it.
func (hr *Hierarchy) DropIfUnused(q *Queue) {
	if q.Node == quota.None && len(q.Held.Holders) == 0 && len(q.Asks.Classes) == 0 {
		delete(hr.Queues, q.Name)
	}
}

// Leaves returns the names of the leaf queues below a node, which are those that admit askers.
func (hr *Hierarchy) Leaves(n quota.NodeID) []string {
	var out []string
	for next := slices.Clone(hr.Forest.At(n).Children); len(next) > 0; next = next[1:] {
		children := hr.Forest.At(next[0]).Children
		if len(children) == 0 {
			out = append(out, hr.Forest.At(next[0]).Name)
		}
		next = append(next, children...)
	}
	slices.Sort(out)
	return out
}

// DeletedAbove returns the queues at the beginning of a path as deleted ones, up to the first that exists; nil if none
// exists.
func (hr *Hierarchy) DeletedAbove(path []string) []config.Queue {
	var deleted []config.Queue
	for i, above := range path[1:] {
		deleted = append(deleted, config.Queue{Name: path[i], Parent: above, Deleted: true})
		if hr.Forest.Find(above) != quota.None {
			return deleted
		}
	}
	return nil
}

// SetFlavors replaces the flavors.
func (hr *Hierarchy) SetFlavors(all []config.Flavor) {
	hr.Flavors = placement.Flavors{}
	for i := range all {
		hr.Flavors[all[i].Name] = &all[i]
	}
	hr.Flavors[config.DefaultFlavor] = &config.Flavor{Name: config.DefaultFlavor}
}

// Build replaces the queues by configured ones and by deleted ones that are in use. Nothing is charged to them, and
// nothing is pending.
func (hr *Hierarchy) Build(queues []config.Queue, c *config.Queues, deleted []quota.Node) {
	hr.Configs = queues
	hr.Forest = quota.NewForest(append(c.Nodes(), deleted...))
	hr.Queues = make(map[string]*Queue, hr.Forest.Nodes())
	hr.unknown = newTree("")
	hr.Trees = []*Tree{hr.unknown}
	for n := range quota.NodeID(hr.Forest.Nodes()) {
		hr.attach(n, c)
	}
	limited := c.Limited()
	for n := range quota.NodeID(hr.Forest.Nodes()) {
		q := hr.Queues[hr.Forest.At(n).Name]
		hr.configureQueue(q)
		root := c.Root(q.Name)
		q.Limited = limited[root]
		q.NoQuota = !q.Limited && !c.Unlimited(root)
	}
}

// HoldersText says up to which limit others hold what a queue needs.
func (hr *Hierarchy) HoldersText(q *Queue, b quota.Block) string {
	limit, at, children := hr.Forest.Account(b.Node, b.Cell).Limit(), hr.Forest.At(b.Node), ""
	if len(at.Children) > 0 {
		children = " with what its children lend"
	}
	amount := func(n int64) string { return phrases.Amount(b.Cell.Resource, n) }
	return fmt.Sprintf("%s may use at most %s (nominal %s%s, borrowing %s) and others hold the rest", Named(hr.Queues[at.Name], q),
		amount(limit.Max()), amount(limit.Nominal), children, amount(limit.Borrowing))
}

// FairRank orders the children of a queue with fair sharing.
type FairRank struct {
	// borrows is true if the child would use more than its own quota of what is needed.
	borrows bool
	Share   quota.Share
	weight  int32
}

// FairRankWith returns the rank that a queue would have if a need were charged to a queue, itself or one below it.
func (hr *Hierarchy) FairRankWith(q, charged *Queue, need quota.Vector) FairRank {
	hr.Forest.Add(charged.Node, need)
	defer hr.Forest.Remove(charged.Node, need)
	return FairRank{hr.Forest.Over(q.Node, need), hr.Forest.Share(q.Node), q.Weight()}
}

// Compare orders a child that stays within its own quota before one that borrows, and then by smaller share.
func (r FairRank) Compare(other FairRank) int {
	switch {
	case r.borrows == other.borrows:
		return quota.CompareShares(r.Share, r.weight, other.Share, other.weight)
	case r.borrows:
		return 1
	}
	return -1
}

// Placements returns the search for placements of pods in the flavors of a queue. If a pod set fits no flavor, it is nil,
// and why says so.
func (hr *Hierarchy) Placements(q *Queue, s *placement.Signature) (search *placement.Search, why string) {
	return placement.NewSearch(hr.Forest, q.Node, s, func(p queueing.PodSet) ([]*config.Flavor, string) { return hr.Flavors.Usable(q.Name, q.Flavors, p) })
}

// Option converts a placement to an option of a class.
func (hr *Hierarchy) Option(class *Class, where placement.Choice) placement.Option {
	return placement.NewOption(hr.Forest, class.Queue.Node, class.Signature, where)
}

// OptionAt converts a placement to an option of a class, with the current flavors and quotas. It returns false if the
// pods can no longer be placed like that.
func (hr *Hierarchy) OptionAt(class *Class, where placement.Choice) (placement.Option, bool) {
	same := func(a, b *config.Flavor) bool { return a.Name == b.Name }
	if at := slices.IndexFunc(class.Options, func(o placement.Option) bool { return slices.EqualFunc(o.Where, where, same) }); at >= 0 {
		return class.Options[at], true
	}
	if class.Placements == nil {
		return placement.Option{}, false
	}
	now := make(placement.Choice, len(where))
	for i, f := range where {
		at := slices.IndexFunc(class.Placements.Usable[i], func(usable *config.Flavor) bool { return same(usable, f) })
		if at < 0 {
			return placement.Option{}, false
		}
		now[i] = class.Placements.Usable[i][at]
	}
	return hr.Option(class, now), true
}

// FindOption searches a placement that fits now, for a class that has more placements than options. It makes it the
// last option, and reports whether there is one.
func (hr *Hierarchy) FindOption(class *Class) bool {
	if class.Placements == nil {
		return false
	}
	n := class.Queue.Node
	found := class.Placements.Run(1, placement.MaxPlacementStepsNow, func(need quota.Vector) bool {
		_, blocked := hr.Forest.Blocked(n, need)
		return !blocked
	})
	if len(found) == 0 {
		return false
	}
	class.Options, class.Plan = append(class.Options[:min(len(class.Options), MaxOptions)], hr.Option(class, found[0])), nil
	return true
}

// MaxOptions bounds the options of a class: enough for sixteen flavors for each of two pod sets.
const MaxOptions = 256

// NearestOption returns the index of the first option with the shortest borrowing distance for a class.
func (hr *Hierarchy) NearestOption(class *Class) int {
	nearest, shortest := 0, 0
	for i := range class.Options {
		distance := hr.Forest.BorrowingDistance(class.Queue.Node, class.Options[i].MinNeed)
		if distance == 0 {
			return i
		}
		if i == 0 || distance < shortest {
			nearest, shortest = i, distance
		}
	}
	return nearest
}

// BorrowingDistance returns how far up the tree the first ask of a class borrows in its chosen option.
func (hr *Hierarchy) BorrowingDistance(class *Class) int {
	return hr.Forest.BorrowingDistance(class.Queue.Node, class.Options[class.Choice].MinNeed)
}

// NeedWithinQuota returns the need of a class in its first option that stays within the quota of its queue, and true,
// else the need in its first option, and false.
func (hr *Hierarchy) NeedWithinQuota(class *Class) (need quota.Vector, within bool) {
	for i := range class.Options {
		beyond := slices.ContainsFunc(hr.Forest.Needs(class.Queue.Node, class.Options[i].MinNeed), func(b quota.Block) bool {
			return b.Need > hr.Forest.Account(class.Queue.Node, b.Cell).Limit().Nominal
		})
		if !beyond {
			return class.Options[i].MinNeed, true
		}
	}
	return class.Options[0].MinNeed, false
}
