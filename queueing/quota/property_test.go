// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/internal/testing/randtest"
)

// forSeeds runs a property with many seeds.
func forSeeds(t *testing.T, count uint64, property func(t *testing.T, r *rand.Rand)) {
	t.Helper()
	t.Parallel()
	randtest.Each(t, count, func(seed uint64) { property(t, rand.New(rand.NewPCG(seed, seed))) })
}

// scales are the magnitudes of random numbers. The largest one reaches the end of the range.
var scales = []int64{10, 10, 10, 1000, MaxAmount / 2, Unlimited}

// randomTree returns up to eight nodes. Node i is a child of an earlier one, or a root.
func randomTree(r *rand.Rand) []Node {
	scale := scales[r.IntN(len(scales))]
	limit := func(chance float64) int64 {
		if r.Float64() > chance {
			return Unlimited
		}
		return r.Int64N(scale)
	}
	nodes := make([]Node, 1+r.IntN(8))
	for i := range nodes {
		nodes[i].Name = fmt.Sprintf("n%d", i)
		if i > 0 && r.Float64() < 0.9 {
			nodes[i].Parent = nodes[r.IntN(i)].Name
		}
		if i == 0 || r.Float64() < 0.9 {
			nodes[i].Limits = []Limits{{cpu, limit(0.97), limit(0.5), limit(0.5)}}
		}
	}
	return limitAll(nodes)
}

// limitAll limits the cell in every tree, because the model does not support trees without limits.
func limitAll(nodes []Node) []Node {
	for i := range nodes {
		if nodes[i].Limits == nil {
			nodes[i].Limits = []Limits{{cpu, 0, Unlimited, Unlimited}}
		}
	}
	return nodes
}

// both is a forest and its model, which get the same changes.
type both struct {
	f *Forest
	m *model
}

func newBoth(nodes []Node) both { return both{NewForest(nodes), newModel(nodes)} }

func (b both) vector(name string, v int64) (NodeID, Vector) {
	n := b.f.Find(name)
	return n, b.f.Prepare(n, []Amount{{cpu, v}})
}

func (b both) add(name string, v int64) {
	n, vector := b.vector(name, v)
	b.f.Add(n, vector)
	b.m.charges[name] = append(b.m.charges[name], v)
}

// removeOne removes one of the charges. It returns false if there is none.
func (b both) removeOne(r *rand.Rand) bool {
	var charged []string
	for n := range NodeID(b.f.Nodes()) {
		if len(b.m.charges[b.f.At(n).Name]) > 0 {
			charged = append(charged, b.f.At(n).Name)
		}
	}
	if len(charged) == 0 {
		return false
	}
	name := charged[r.IntN(len(charged))]
	i := r.IntN(len(b.m.charges[name]))
	n, vector := b.vector(name, b.m.charges[name][i])
	b.f.Remove(n, vector)
	b.m.charges[name] = slices.Delete(b.m.charges[name], i, i+1)
	return true
}

// need returns a random need close to what is available, where the result may change.
func (b both) need(r *rand.Rand, name string) int64 {
	available := b.f.Account(b.f.Find(name), cpu).Available()
	switch r.IntN(3) {
	case 0:
		return 1 + r.Int64N(12)
	case 1:
		return min(max(1, available), MaxAmount)
	default:
		return min(max(1, available), MaxAmount-3) + r.Int64N(3)
	}
}

func (b both) randomNode(r *rand.Rand) string { return b.f.At(NodeID(r.IntN(b.f.Nodes()))).Name }

// compare checks all numbers of the forest against the model.
func (b both) compare(t *testing.T) {
	t.Helper()
	for n := range NodeID(b.f.Nodes()) {
		name := b.f.At(n).Name
		row := &b.f.nodes[n].rows[0]
		got := map[string]string{
			"subtree": written(row.subtree), "lent": written(row.lendable), "local": written(row.local), "potential": written(row.potential),
			"usage": written(row.usage.amount()), "passed": written(row.usageInParent()),
		}
		want := map[string]string{
			"subtree": show(b.m.subtree(name)), "lent": show(b.m.lent(name)), "local": show(b.m.local(name)),
			"potential": show(capped(b.m.potential(name))), "usage": show(b.m.usage(name)), "passed": show(b.m.passed(name)),
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("node %s (-want +got):\n%s", name, diff)
		}
	}
}

func written(v int64) string { return show(finite(v)) }

func show(v *big.Int) string {
	if v == infinite {
		return "∞"
	}
	return v.String()
}

// P8: usage and all derived limits follow from the charges, after any additions and removals, legal or not.
func TestConservation(t *testing.T) {
	forSeeds(t, 3000, func(t *testing.T, r *rand.Rand) {
		b := newBoth(randomTree(r))
		for range 12 {
			if r.IntN(3) == 0 && b.removeOne(r) {
				continue
			}
			name := b.randomNode(r)
			b.add(name, b.need(r, name))
		}
		b.compare(t)
		for b.removeOne(r) {
		}
		b.compare(t)
		for n := range NodeID(b.f.Nodes()) {
			if row := b.f.nodes[n].rows[0]; row.usage != (total{}) || row.own != (total{}) {
				t.Errorf("%s still uses something after all was given back", b.f.At(n).Name)
			}
		}
	})
}

// P8: Remove reverts Add exactly, in every state.
func TestUndo(t *testing.T) {
	forSeeds(t, 2000, func(t *testing.T, r *rand.Rand) {
		b := newBoth(randomTree(r))
		for range r.IntN(10) {
			b.add(b.randomNode(r), 1+r.Int64N(MaxAmount))
		}
		before := rowsOf(b.f)
		name := b.randomNode(r)
		n, v := b.vector(name, b.need(r, name))
		b.f.Add(n, v)
		b.f.Remove(n, v)
		if diff := cmp.Diff(before, rowsOf(b.f), cmp.AllowUnexported(row{}, total{})); diff != "" {
			t.Errorf("add and remove (-before +after):\n%s", diff)
		}
	})
}

func rowsOf(f *Forest) [][]row {
	var out [][]row
	for _, n := range f.nodes {
		out = append(out, slices.Clone(n.rows))
	}
	return out
}

// P13: walking from node to node gives the same result as need ≤ available, also at the ends of the range and above
// quota.
func TestBlockedIsAvailable(t *testing.T) {
	forSeeds(t, 3000, func(t *testing.T, r *rand.Rand) {
		b := newBoth(randomTree(r))
		for range 10 {
			name := b.randomNode(r)
			v := b.need(r, name)
			n, vector := b.vector(name, v)
			block, blocked := b.f.Blocked(n, vector)
			if want := !b.m.fits(name, v); blocked != want {
				t.Fatalf("%d at %s: blocked %v (%+v), want %v; available %s", v, name, blocked, block, want, show(b.m.available(name)))
			}
			if blocked && !slices.Contains(b.m.path(name), b.f.At(block.Node).Name) {
				t.Fatalf("%d at %s: blocked by %s, which is not above it", v, name, b.f.At(block.Node).Name)
			}
			b.add(name, v)
		}
	})
}

// P1 in legal states: a need fits exactly if it keeps every node on the path to the root within its limits.
func TestPathRule(t *testing.T) {
	forSeeds(t, 3000, func(t *testing.T, r *rand.Rand) {
		b := newBoth(randomTree(r))
		for range 8 {
			name := b.randomNode(r)
			v := b.need(r, name)
			n, vector := b.vector(name, v)
			_, blocked := b.f.Blocked(n, vector)
			b.add(name, v)
			legal := !slices.ContainsFunc(b.m.path(name), func(p string) bool { return b.m.over(p).Sign() > 0 })
			if blocked == legal && b.inRange() {
				t.Fatalf("%d at %s: blocked %v, legal afterwards %v", v, name, blocked, legal)
			}
			if blocked {
				b.m.charges[name] = b.m.charges[name][:len(b.m.charges[name])-1]
				b.f.Remove(n, vector)
			}
			if !b.m.legal() {
				t.Fatalf("%d at %s: the state is not legal any more", v, name)
			}
		}
	})
}

// inRange reports whether no usage has reached the end of the range, where larger values cannot be distinguished.
func (b both) inRange() bool {
	for name := range b.m.nodes {
		if b.m.usage(name).Cmp(big.NewInt(MaxAmount)) >= 0 {
			return false
		}
	}
	return true
}

// holdsMore reports whether a charge would keep all usage from a node upwards below the end of the range.
func (b both) holdsMore(n NodeID, more int64) bool {
	for ; n != None; n = b.f.At(n).Parent {
		if b.m.usage(b.f.At(n).Name).Cmp(big.NewInt(MaxAmount-more)) >= 0 {
			return false
		}
	}
	return true
}

// P1 in all states, such as after quota was cut: a need that fits neither causes nor worsens a violation at any node
// that it is charged to.
func TestNothingGetsWorse(t *testing.T) {
	forSeeds(t, 3000, func(t *testing.T, r *rand.Rand) {
		b := newBoth(randomTree(r))
		for range 4 {
			b.add(b.randomNode(r), 1+r.Int64N(20))
		}
		for range 8 {
			name := b.randomNode(r)
			v := b.need(r, name)
			n, vector := b.vector(name, v)
			if _, blocked := b.f.Blocked(n, vector); blocked {
				continue
			}
			before := map[string]*big.Int{}
			for _, p := range b.m.path(name) {
				before[p] = b.m.usage(p)
			}
			b.add(name, v)
			for _, p := range b.m.path(name) {
				if b.m.usage(p).Cmp(before[p]) != 0 && b.m.over(p).Sign() > 0 {
					t.Fatalf("%d at %s: %s is over its limit by %s", v, name, p, b.m.over(p))
				}
			}
		}
	})
}

// A need that does not fit does not fit after further charges either. This allows skipping equal needs within a cycle.
func TestAvailableOnlyShrinks(t *testing.T) {
	forSeeds(t, 2000, func(t *testing.T, r *rand.Rand) {
		b := newBoth(randomTree(r))
		type refused struct {
			name string
			v    int64
		}
		var all []refused
		for range 12 {
			name := b.randomNode(r)
			v := b.need(r, name)
			n, vector := b.vector(name, v)
			if _, blocked := b.f.Blocked(n, vector); blocked {
				all = append(all, refused{name, v})
			}
			b.add(name, v)
			for _, a := range all {
				n, vector := b.vector(a.name, a.v)
				if _, blocked := b.f.Blocked(n, vector); !blocked {
					t.Fatalf("%d fits at %s after %d was added at %s, and did not before", a.v, a.name, v, name)
				}
			}
		}
	})
}

// A need beyond the potential never fits, and one within it fits into the empty tree.
func TestPotentialIsTheMost(t *testing.T) {
	forSeeds(t, 2000, func(t *testing.T, r *rand.Rand) {
		b := newBoth(randomTree(r))
		for range 8 {
			name := b.randomNode(r)
			v := b.need(r, name)
			n, vector := b.vector(name, v)
			_, exceeds := b.f.Exceeds(n, vector)
			if _, blocked := b.f.Blocked(n, vector); blocked != exceeds {
				t.Fatalf("%d at %s in the empty tree: blocked %v, exceeds %v", v, name, blocked, exceeds)
			}
		}
	})
}

// The sum of what the children of a node use beyond their quotas is maintained. WithinQuota returns before a charge
// what Over returns after it.
func TestUseBeyondQuotas(t *testing.T) {
	forSeeds(t, 300, func(t *testing.T, r *rand.Rand) {
		b := newBoth(randomTree(r))
		for range 40 {
			name := fmt.Sprintf("n%d", r.IntN(b.f.Nodes()))
			if r.IntN(3) > 0 || !b.removeOne(r) {
				b.add(name, b.need(r, name))
			}
			for n := range NodeID(b.f.Nodes()) {
				var want total
				for _, c := range b.f.nodes[n].below {
					want.add(b.f.nodes[c].rows[0].usageBeyond())
				}
				if got := b.f.nodes[n].rows[0].beyond; got != want {
					t.Fatalf("children of %s use %v beyond their quotas, want %v", b.f.At(n).Name, got, want)
				}
			}
			n, need := b.vector(name, b.need(r, name))
			if got, want := b.f.WithinQuota(n, need), b.withinAfterwards(n, need); got != want {
				t.Fatalf("%s stays within quota: %t, want %t", name, got, want)
			}
		}
	})
}

// withinAfterwards charges the need, and reports whether n or one of its ancestors other than the root stays within its
// quota in the short cells.
func (b both) withinAfterwards(n NodeID, need Vector) bool {
	short := b.f.ShortPart(n, need)
	b.f.Add(n, need)
	defer b.f.Remove(n, need)
	for at := n; b.f.At(at).Parent != None; at = b.f.At(at).Parent {
		if !b.f.Over(at, short) {
			return true
		}
	}
	return false
}

// TestHeadroom: a limit blocks exactly those needs that are greater than its headroom.
func TestHeadroom(t *testing.T) {
	forSeeds(t, 2000, func(t *testing.T, r *rand.Rand) {
		b := newBoth(randomTree(r))
		for range r.IntN(8) {
			name := b.randomNode(r)
			b.add(name, b.need(r, name))
		}
		name := b.randomNode(r)
		for at := b.f.Find(name); at != None; at = b.f.nodes[at].Parent {
			headroom := b.f.Account(b.f.Find(name), cpu).Headroom(at)
			for _, need := range []int64{b.need(r, name), headroom - 1, headroom, headroom + 1} {
				if need <= 0 || need > MaxAmount || headroom == Unlimited {
					continue
				}
				n, v := b.vector(name, need)
				if got := b.f.blocker(n, v.columns[0], at) != None; got != (need > headroom) {
					t.Fatalf("%s blocks %d of %s: %v, with a headroom of %d", b.f.At(at).Name, need, name, got, headroom)
				}
			}
		}
	})
}

// TestOwnHeadroom: a need that does not fit stays within the quota of its queue, or of an ancestor, exactly up to the
// own headroom.
func TestOwnHeadroom(t *testing.T) {
	forSeeds(t, 2000, func(t *testing.T, r *rand.Rand) {
		b := newBoth(randomTree(r))
		for range r.IntN(8) {
			name := b.randomNode(r)
			b.add(name, b.need(r, name))
		}
		name := b.randomNode(r)
		own := b.f.Account(b.f.Find(name), cpu).OwnHeadroom()
		for _, need := range []int64{b.need(r, name), own - 1, own, own + 1} {
			if need <= 0 || need > MaxAmount {
				continue
			}
			n, v := b.vector(name, need)
			if b.f.blocker(n, v.columns[0], None) == None || !b.holdsMore(n, need) {
				continue
			}
			if got := b.f.WithinQuota(n, v); got != (need <= own) {
				t.Fatalf("%d of %s, which does not fit, stays within quota: %v, with an own headroom of %d", need, name, got, own)
			}
		}
	})
}
