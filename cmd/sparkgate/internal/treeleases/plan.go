// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package treeleases

import (
	"cmp"
	"hash/fnv"
	"slices"
	"time"
)

// rest stands for everything that is in no tree.
const rest = ""

// view is the information on which a replica bases its plan.
type view struct {
	self string
	// replicas is the number of live replicas, including this one.
	replicas int
	// trees are the trees that need a leader, including rest.
	trees []string
	// held are the trees whose leases another process holds. free maps the other ones to how long their leases have
	// been free.
	held map[string]bool
	free map[string]time.Duration
	// mine are the trees that this replica leads (true) or competes for (false). late are those that it took beyond its
	// share a short time ago.
	mine map[string]bool
	late map[string]bool
	// takeOverAfter is how long a lease has to be free before a replica that already has its share takes it.
	takeOverAfter time.Duration
	// blocked is set while a process that leads everything is still running.
	blocked bool
}

// plan is what a replica does next.
type plan struct {
	// start are the trees for whose leases to compete. Those in late are beyond the replica's share.
	start []string
	late  map[string]bool
	// stop are the trees to release, or to stop competing for.
	stop []string
}

// share returns how many leases this replica may hold while all live replicas take part.
func (v *view) share() int {
	replicas := max(v.replicas, 1)
	return (len(v.trees) + replicas - 1) / replicas
}

// decide returns the plan of a replica. Each replica decides on its own, from what it sees. If two compete for the same
// lease, one of them gets it and the other one stops, which does no harm. A replica with more than its share releases
// one lease at a time, and only while no lease is free.
func decide(v view) plan {
	p := plan{stop: v.lost(), late: map[string]bool{}}
	kept := len(v.mine) - len(p.stop)
	if v.blocked {
		return p
	}
	for _, tree := range v.preferred() {
		_, mine := v.mine[tree]
		since, free := v.free[tree]
		inShare := kept < v.share()
		if mine || !free || !inShare && since < v.takeOverAfter {
			continue
		}
		p.start, p.late[tree] = append(p.start, tree), !inShare
		kept++
	}
	if kept > v.share() && len(v.free) == 0 && len(p.stop) == 0 {
		p.stop = v.spare()
	}
	return p
}

// lost returns the trees of this replica that no longer exist, and those that another process leads.
func (v *view) lost() []string {
	var lost []string
	for tree, leads := range v.mine {
		if !slices.Contains(v.trees, tree) || !leads && v.held[tree] {
			lost = append(lost, tree)
		}
	}
	slices.Sort(lost)
	return lost
}

// spare returns the tree that a replica with more than its share releases first. It returns none if all of them were
// taken late.
func (v *view) spare() []string {
	for _, tree := range slices.Backward(v.preferred()) {
		if v.mine[tree] && !v.late[tree] {
			return []string{tree}
		}
	}
	return nil
}

// preferred returns the trees in an order that differs between replicas, so that they do not compete for the same ones.
func (v *view) preferred() []string {
	weight := func(tree string) uint64 {
		h := fnv.New64a()
		_, _ = h.Write([]byte(v.self + "/" + tree)) // it never fails
		return h.Sum64()
	}
	trees := slices.Clone(v.trees)
	slices.SortFunc(trees, func(a, b string) int { return cmp.Or(cmp.Compare(weight(a), weight(b)), cmp.Compare(a, b)) })
	return trees
}
