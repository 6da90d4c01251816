// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"math/big"
	"slices"
)

// model is a second implementation of the arithmetic in the package comment: recursive, from the charges, with
// unbounded integers. It supports one cell and only nodes without problems.
type model struct {
	nodes   map[string]Node
	charges map[string][]int64
}

func newModel(nodes []Node) *model {
	m := &model{nodes: map[string]Node{}, charges: map[string][]int64{}}
	for _, n := range nodes {
		m.nodes[n.Name] = n
	}
	return m
}

// infinite is the model's Unlimited.
var infinite *big.Int

func finite(v int64) *big.Int {
	if v == Unlimited {
		return infinite
	}
	return big.NewInt(v)
}

// capped returns infinite for values beyond MaxAmount, as package quota does.
func capped(v *big.Int) *big.Int {
	if v == infinite || v.Cmp(big.NewInt(MaxAmount)) > 0 {
		return infinite
	}
	return v
}

func sum(a, b *big.Int) *big.Int {
	if a == infinite || b == infinite {
		return infinite
	}
	return new(big.Int).Add(a, b)
}

func minus(a, b *big.Int) *big.Int {
	if a == infinite {
		return infinite
	}
	return new(big.Int).Sub(a, b)
}

func least(a, b *big.Int) *big.Int {
	if a == infinite || (b != infinite && b.Cmp(a) < 0) {
		return b
	}
	return a
}

func atLeast0(a *big.Int) *big.Int {
	if a != infinite && a.Sign() < 0 {
		return new(big.Int)
	}
	return a
}

func (m *model) limits(name string) Limits {
	n := m.nodes[name]
	if len(n.Limits) == 0 {
		return Limits{cpu, 0, Unlimited, Unlimited}
	}
	return n.Limits[0]
}

func (m *model) children(name string) []string {
	var out []string
	for _, n := range m.nodes {
		if n.Parent == name {
			out = append(out, n.Name)
		}
	}
	slices.Sort(out)
	return out
}

func (m *model) subtree(name string) *big.Int {
	out := finite(m.limits(name).Nominal)
	for _, c := range m.children(name) {
		out = sum(out, m.lent(c))
	}
	return capped(out)
}

func (m *model) lent(name string) *big.Int {
	return least(m.subtree(name), finite(m.limits(name).Lending))
}

func (m *model) local(name string) *big.Int {
	lending := finite(m.limits(name).Lending)
	if lending == infinite {
		return new(big.Int)
	}
	return atLeast0(minus(m.subtree(name), lending))
}

func (m *model) usage(name string) *big.Int {
	out := new(big.Int)
	for _, v := range m.charges[name] {
		out.Add(out, big.NewInt(v))
	}
	for _, c := range m.children(name) {
		out.Add(out, m.passed(c))
	}
	if out.Cmp(big.NewInt(MaxAmount)) > 0 {
		return big.NewInt(MaxAmount)
	}
	return out
}

func (m *model) passed(name string) *big.Int {
	local := m.local(name)
	if local == infinite {
		return new(big.Int)
	}
	return atLeast0(minus(m.usage(name), local))
}

func (m *model) available(name string) *big.Int {
	if m.nodes[name].Parent == "" {
		return minus(m.subtree(name), m.usage(name))
	}
	outside := infinite
	if borrowing := finite(m.limits(name).Borrowing); borrowing != infinite {
		outside = sum(minus(m.lent(name), m.passed(name)), borrowing)
	}
	return sum(atLeast0(minus(m.local(name), m.usage(name))), least(m.available(m.nodes[name].Parent), outside))
}

func (m *model) potential(name string) *big.Int {
	if m.nodes[name].Parent == "" {
		return m.subtree(name)
	}
	return least(sum(m.local(name), m.potential(m.nodes[name].Parent)), m.most(name))
}

// most returns what the limits of a node allow it to use, which no node on the path may exceed.
func (m *model) most(name string) *big.Int {
	if m.nodes[name].Parent == "" {
		return m.subtree(name)
	}
	return sum(m.subtree(name), finite(m.limits(name).Borrowing))
}

// over returns by how much a node exceeds that.
func (m *model) over(name string) *big.Int {
	return atLeast0(new(big.Int).Neg(orHuge(minus(m.most(name), m.usage(name)))))
}

func orHuge(v *big.Int) *big.Int {
	if v == infinite {
		return big.NewInt(Unlimited)
	}
	return v
}

// path returns a node and its ancestors.
func (m *model) path(name string) []string {
	var out []string
	for ; name != ""; name = m.nodes[name].Parent {
		out = append(out, name)
	}
	return out
}

// legal reports whether no node exceeds its limits.
func (m *model) legal() bool {
	for name := range m.nodes {
		if m.over(name).Sign() > 0 {
			return false
		}
	}
	return true
}

// fits reports whether v is at most what is available.
func (m *model) fits(name string, v int64) bool {
	available := m.available(name)
	return v == 0 || available == infinite || available.Cmp(big.NewInt(v)) >= 0
}
