// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"math/big"
	"slices"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// meter sums usage and nominal quota over time for each cell that some queue limits. Its sums are exact.
//
// Usage counts only in trees that limit the cell, because an asker in a tree without limits takes nothing from the
// quota of others.
type meter struct {
	cells map[quota.Cell]*cell
	// roots caches the root of each queue that exists or is charged. limited holds the cells that a tree limits, by its
	// root.
	roots   map[string]string
	limited map[string]map[quota.Cell]bool
	// parents holds the last known parents, including those of queues that are gone, because their grants are still
	// charged to them.
	parents map[string]string
}

// cell holds the amounts of one cell, in units of the resource, and in these units times nanoseconds.
type cell struct {
	// used and nominal are the current amounts.
	used, nominal big.Int
	// usedOpen and nominalOpen are the sums over time since the last closeInterval; usedClosed and nominalClosed those
	// up to it.
	usedOpen, nominalOpen, usedClosed, nominalClosed big.Int
}

// configure sets the nominal quota of all queues and computes the current usage again. running must call yield with
// each held grant.
func (m *meter) configure(queues []config.Queue, running func(yield func(queue string, charges []quota.Amount))) {
	for _, c := range m.cells {
		c.used.SetInt64(0)
		c.nominal.SetInt64(0)
	}
	for i := range queues {
		m.parents[queues[i].Name] = queues[i].Parent
	}
	m.roots, m.limited = map[string]string{}, map[string]map[quota.Cell]bool{}
	for i := range queues {
		m.addNominal(&queues[i])
	}
	running(m.add)
}

func (m *meter) addNominal(q *config.Queue) {
	root := m.root(q.Name)
	if m.limited[root] == nil {
		m.limited[root] = map[quota.Cell]bool{}
	}
	for _, f := range q.Flavors {
		for _, r := range f.Quotas {
			at := quota.Cell{Flavor: f.Name, Resource: r.Resource}
			m.limited[root][at] = true
			if m.cells[at] == nil {
				m.cells[at] = &cell{}
			}
			c := m.cells[at]
			c.nominal.Add(&c.nominal, big.NewInt(max(0, r.Nominal)))
		}
	}
}

// root returns the topmost queue above this one that was ever known, or any member if the queues form a cycle.
func (m *meter) root(name string) string {
	if root, known := m.roots[name]; known {
		return root
	}
	root := name
	for seen := map[string]bool{}; !seen[root]; {
		seen[root] = true
		parent := m.parents[root]
		if _, known := m.parents[parent]; !known {
			break
		}
		root = parent
	}
	m.roots[name] = root
	return root
}

// chargesOf returns the usage of a grant.
func chargesOf(g queueing.Grant) []quota.Amount {
	var out []quota.Amount
	for _, p := range g.PodSets {
		for name, amount := range p.Requests {
			out = append(out, quota.Amount{Cell: quota.Cell{Flavor: p.Flavor, Resource: name}, Value: quota.Times(p.Count, amount)})
		}
	}
	return out
}

// add starts to count the usage of an asker in a queue; remove stops counting it.
func (m *meter) add(queue string, charges []quota.Amount) {
	m.each(queue, charges, func(c *cell, amount *big.Int) { c.used.Add(&c.used, amount) })
}

func (m *meter) remove(queue string, charges []quota.Amount) {
	m.each(queue, charges, func(c *cell, amount *big.Int) { c.used.Sub(&c.used, amount) })
}

func (m *meter) each(queue string, charges []quota.Amount, change func(*cell, *big.Int)) {
	limited := m.limited[m.root(queue)]
	for _, ch := range charges {
		if limited[ch.Cell] {
			change(m.cells[ch.Cell], big.NewInt(ch.Value))
		}
	}
}

// advance adds the current amounts for a span of time.
func (m *meter) advance(span Time) {
	var product, nanoseconds big.Int
	nanoseconds.SetInt64(int64(span))
	for _, c := range m.cells {
		c.usedOpen.Add(&c.usedOpen, product.Mul(&c.used, &nanoseconds))
		c.nominalOpen.Add(&c.nominalOpen, product.Mul(&c.nominal, &nanoseconds))
	}
}

// closeInterval extends the measured interval up to now.
func (m *meter) closeInterval() {
	for _, c := range m.cells {
		c.usedClosed.Add(&c.usedClosed, &c.usedOpen)
		c.nominalClosed.Add(&c.nominalClosed, &c.nominalOpen)
		c.usedOpen.SetInt64(0)
		c.nominalOpen.SetInt64(0)
	}
}

// usage returns the part of the nominal quota that was in use during the measured interval, by "flavor/resource". It is
// 1 if more was in use, which is possible after a quota was lowered, and 0 if there was no quota.
func (m *meter) usage() map[string]float64 {
	out := map[string]float64{}
	for at, c := range m.cells {
		part := 0.0
		switch {
		case c.nominalClosed.Sign() == 0:
		case c.usedClosed.Cmp(&c.nominalClosed) > 0:
			part = 1
		default:
			part, _ = new(big.Rat).SetFrac(&c.usedClosed, &c.nominalClosed).Float64()
		}
		out[at.Flavor+"/"+at.Resource] = part
	}
	return out
}

// waitsOf sorts the waits and returns their percentiles.
func waitsOf(waits []Time) Waits {
	if len(waits) == 0 {
		return Waits{}
	}
	slices.Sort(waits)
	return Waits{P50: nearestRank(waits, 50), P95: nearestRank(waits, 95), Max: waits[len(waits)-1]}
}

// nearestRank returns the smallest value of a sorted list that at least this percentage of the values do not exceed.
func nearestRank(sorted []Time, percent int) Time {
	rank := (len(sorted)*percent + 99) / 100
	return sorted[max(1, rank)-1]
}
