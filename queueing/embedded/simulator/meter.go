// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"math/big"
	"slices"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// meter adds up, for each cell that some queue limits, what is in use and what there is, over time. Its sums are exact.
//
// Use counts in the trees that limit the cell: an application in a tree without limits takes nothing from the quota of
// others.
type meter struct {
	cells map[quota.Cell]*cell
	// roots are the roots of all queues that exist or are charged, and limited the cells that a tree limits, by its
	// root.
	roots   map[string]string
	limited map[string]map[quota.Cell]bool
	// parents are the last known parents, also of queues that are gone: what these hold continues to weigh on them.
	parents map[string]string
}

// cell is one cell, in units of the resource, and of the resource times nanoseconds.
type cell struct {
	// used and nominal at the moment.
	used, nominal big.Int
	// usedOpen and nominalOpen are the sums over time since the last mark, usedClosed and nominalClosed those up to it.
	usedOpen, nominalOpen, usedClosed, nominalClosed big.Int
}

// charge is what one application uses of one cell.
type charge struct {
	cell   quota.Cell
	amount int64
}

func newMeter() *meter {
	return &meter{cells: map[quota.Cell]*cell{}, parents: map[string]string{}}
}

// configure takes the nominal quota of all queues, and counts the use anew: running calls yield with each grant that is
// held.
func (m *meter) configure(queues []embedded.QueueConfig, running func(yield func(queue string, charges []charge))) {
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

func (m *meter) addNominal(q *embedded.QueueConfig) {
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

// root returns the uppermost queue above this one that was ever known; of queues in a circle it is any.
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

// chargesOf returns what a grant uses.
func chargesOf(g queueing.Grant) []charge {
	var out []charge
	for _, p := range g.PodSets {
		for name, amount := range p.Requests {
			out = append(out, charge{quota.Cell{Flavor: p.Flavor, Resource: name}, quota.Times(p.Count, amount)})
		}
	}
	return out
}

// add counts what an application in that queue uses from now on, remove what it no longer uses.
func (m *meter) add(queue string, charges []charge) {
	m.each(queue, charges, func(c *cell, amount *big.Int) { c.used.Add(&c.used, amount) })
}

func (m *meter) remove(queue string, charges []charge) {
	m.each(queue, charges, func(c *cell, amount *big.Int) { c.used.Sub(&c.used, amount) })
}

func (m *meter) each(queue string, charges []charge, change func(*cell, *big.Int)) {
	limited := m.limited[m.root(queue)]
	for _, ch := range charges {
		if limited[ch.cell] {
			change(m.cells[ch.cell], big.NewInt(ch.amount))
		}
	}
}

// advance lets time pass.
func (m *meter) advance(span Time) {
	var product, nanoseconds big.Int
	nanoseconds.SetInt64(int64(span))
	for _, c := range m.cells {
		c.usedOpen.Add(&c.usedOpen, product.Mul(&c.used, &nanoseconds))
		c.nominalOpen.Add(&c.nominalOpen, product.Mul(&c.nominal, &nanoseconds))
	}
}

// closeInterval says that the time measured reaches up to now.
func (m *meter) closeInterval() {
	for _, c := range m.cells {
		c.usedClosed.Add(&c.usedClosed, &c.usedOpen)
		c.nominalClosed.Add(&c.nominalClosed, &c.nominalOpen)
		c.usedOpen.SetInt64(0)
		c.nominalOpen.SetInt64(0)
	}
}

// usage returns the part of the nominal quota that was in use up to the last mark: 1 where more was, as can be after a
// quota was cut, and 0 where there was none.
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

// waitsOf sorts the waits and takes the percentiles out.
func waitsOf(waits []Time) Waits {
	if len(waits) == 0 {
		return Waits{}
	}
	slices.Sort(waits)
	return Waits{P50: nearestRank(waits, 50), P95: nearestRank(waits, 95), Max: waits[len(waits)-1]}
}

// nearestRank returns the smallest value of a sorted list that at least that many percent of it do not exceed.
func nearestRank(sorted []Time, percent int) Time {
	rank := (len(sorted)*percent + 99) / 100
	return sorted[max(1, rank)-1]
}
