// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// onLoan returns Lent, by its definition.
func (m *model) onLoan(name string) *big.Int {
	unused := atLeast0(minus(m.subtree(name), m.usage(name)))
	if unused == infinite {
		return new(big.Int)
	}
	return minus(unused, least(unused, atLeast0(m.available(name))))
}

// borrowed returns what a node uses beyond the quota of itself and its children.
func (m *model) borrowed(name string) *big.Int {
	if subtree := m.subtree(name); subtree != infinite {
		return atLeast0(minus(m.usage(name), subtree))
	}
	return new(big.Int)
}

// own returns what is charged to a node itself.
func (m *model) own(name string) *big.Int {
	out := new(big.Int)
	for _, v := range m.charges[name] {
		out.Add(out, big.NewInt(v))
	}
	return out
}

// In every state, legal or not, lent quota is part of the unused quota, and a root lends nothing.
func TestLentIsUnused(t *testing.T) {
	forSeeds(t, 2000, func(t *testing.T, r *rand.Rand) {
		b := newBoth(randomTree(r))
		for range r.IntN(10) {
			name := b.randomNode(r)
			b.add(name, b.need(r, name))
		}
		for n := range NodeID(b.f.Nodes()) {
			name, lent := b.f.At(n).Name, b.f.Account(n, cpu).Lent()
			if got, want := big.NewInt(lent), b.m.onLoan(name); got.Cmp(want) != 0 {
				t.Errorf("%s has lent %d, want %s", name, lent, want)
			}
			if lent < 0 || lent > 0 && b.f.At(n).Parent == None {
				t.Errorf("%s has lent %d, parent %q", name, lent, b.f.At(n).ConfiguredParent)
			}
			if u := b.f.Uses(n)[0]; lent > 0 && u.Nominal != Unlimited && lent > u.Nominal-u.Used {
				t.Errorf("%s has lent %d and uses %d of %d", name, lent, u.Used, u.Nominal)
			}
		}
	})
}

// While no quota is exceeded, no queue lends more than its limit allows, and the children of a node lend no more
// together than another one has: what the node lends further, what it uses itself, and what the children borrow.
func TestLentIsBorrowed(t *testing.T) {
	forSeeds(t, 2000, func(t *testing.T, r *rand.Rand) {
		b := newBoth(randomTree(r))
		for range 12 {
			name := b.randomNode(r)
			if v := b.need(r, name); b.m.fits(name, v) {
				b.add(name, v)
			}
		}
		if !b.inRange() {
			return
		}
		for n := range NodeID(b.f.Nodes()) {
			name := b.f.At(n).Name
			mayLend := minus(b.m.lent(name), b.m.passed(name))
			if lent := big.NewInt(b.f.Account(n, cpu).Lent()); lent.Sign() > 0 && mayLend != infinite && lent.Cmp(mayLend) > 0 {
				t.Errorf("%s has lent %s and may lend %s", name, lent, mayLend)
			}
			lent, has := new(big.Int), sum(big.NewInt(b.f.Account(n, cpu).Lent()), b.m.own(name))
			for _, child := range b.f.At(n).Children {
				lent = sum(lent, big.NewInt(b.f.Account(child, cpu).Lent()))
				has = sum(has, b.m.borrowed(b.f.At(child).Name))
			}
			if lent.Cmp(has) > 0 {
				t.Errorf("the children of %s have lent %s, of which somebody has %s", name, lent, has)
			}
		}
	})
}
