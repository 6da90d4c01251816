// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package treeleases

import (
	"cmp"
	"hash/fnv"
	"slices"
	"time"
)

// rest is the tree of what is in no tree.
const rest = ""

// view is what a replica knows when it plans.
type view struct {
	self string
	// replicas that are alive, this one included.
	replicas int
	// trees that have to be led, and the rest.
	trees []string
	// held are the leases that another process holds; free says since when the others are free.
	held map[string]bool
	free map[string]time.Duration
	// mine are the trees of this replica: whether it leads them already. late are those of them that it took beyond its
	// share lately.
	mine map[string]bool
	late map[string]bool
	// patience is how long a lease has to be free before a replica that has its share takes it.
	patience time.Duration
	// blocked: a process that leads everything has not ended yet.
	blocked bool
}

// plan is what a replica does next.
type plan struct {
	// start to compete for the leases of these trees; those in late are beyond the share.
	start []string
	late  map[string]bool
	// stop leading these, or competing.
	stop []string
}

// share returns how many leases a replica may hold while others that could hold them are alive.
func (v *view) share() int {
	replicas := max(v.replicas, 1)
	return (len(v.trees) + replicas - 1) / replicas
}

// decide plans for a replica. Each replica decides on its own, by what it sees. Two that compete for the same lease do no
// harm: one of them gets it, and the other one stops. A replica with more than its share releases one lease at a time, and
// only while no lease is free.
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
		if mine || !free || !inShare && since < v.patience {
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

// lost returns the trees that no longer exist, and those whose leases another process holds.
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

// spare returns the tree that a replica with too many releases first; none if it has taken all of them late.
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
		_, _ = h.Write([]byte(v.self + "/" + tree)) // never fails
		return h.Sum64()
	}
	trees := slices.Clone(v.trees)
	slices.SortFunc(trees, func(a, b string) int { return cmp.Or(cmp.Compare(weight(a), weight(b)), cmp.Compare(a, b)) })
	return trees
}
