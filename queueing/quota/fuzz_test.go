// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// script reads numbers from the bytes of a fuzzer. After their end, all numbers are 0.
type script []byte

func (s *script) number(below uint64) uint64 {
	var word [8]byte
	n := 1
	if below > 256 {
		n = 8
	}
	n = copy(word[:n], *s)
	*s = (*s)[n:]
	return binary.LittleEndian.Uint64(word[:]) % below
}

// amount returns a small number, or any at all.
func (s *script) amount() int64 {
	if s.number(4) == 0 {
		return int64(s.number(1<<64 - 1))
	}
	return int64(s.number(16))
}

func (s *script) cell() Cell {
	return Cell{[]string{"default", "spot"}[s.number(2)], []string{"cpu", "memory", "gpu"}[s.number(3)]}
}

// nodes returns nodes with random parents, which may be missing or form cycles.
func (s *script) nodes() []Node {
	nodes := make([]Node, s.number(9))
	for i := range nodes {
		nodes[i] = Node{Name: fmt.Sprintf("n%d", s.number(8)), DeletedInUse: s.number(8) == 0}
		if s.number(4) > 0 {
			nodes[i].Parent = fmt.Sprintf("n%d", s.number(9))
		}
		for range s.number(4) {
			nodes[i].Limits = append(nodes[i].Limits, Limits{s.cell(), s.amount(), s.amount(), s.amount()})
		}
	}
	return nodes
}

// charge is a need at a node.
type charge struct {
	name    string
	amounts []Amount
}

// P12, P13: no configuration and no amount makes the arithmetic panic. Every charge can be removed, even from a forest
// in which all nodes have moved.
func FuzzEdits(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x03\x00\x01\x00\x02\x05\x05\x05\x01\x01\x01\x00"))
	f.Add([]byte("a forest of nodes that are each other's parents, and more than it can hold"))
	f.Add([]byte("\x08\x01\x02\x03\x04\x05\x06\x07\x08\xff\xff\xff\xff\xff\xff\xff\x7f\x01\x02\x03\x04\x05\x06\x07\x08\x09"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := script(data)
		var charges []charge
		for range 3 {
			forest := NewForest(s.nodes())
			for _, c := range charges {
				forest.change(c, forest.Add)
			}
			for range s.number(5) {
				c := charge{name: fmt.Sprintf("n%d", s.number(8)), amounts: []Amount{{s.cell(), s.amount()}, {s.cell(), s.amount()}}}
				forest.change(c, forest.Add)
				charges = append(charges, c)
			}
			forest.look(s.cell(), s.amount())
			for _, c := range charges {
				forest.change(c, forest.Remove)
			}
			for n := range NodeID(forest.Nodes()) {
				for _, u := range forest.Uses(n) {
					if u.Used != 0 {
						t.Fatalf("%s uses %d of %+v after all was given back", forest.At(n).Name, u.Used, u.Cell)
					}
				}
			}
			if diff := cmp.Diff(0, forest.charged()); diff != "" {
				t.Fatalf("rows that are not empty (-want +got):\n%s", diff)
			}
		}
	})
}

func (f *Forest) change(c charge, by func(NodeID, Vector)) {
	if n := f.Find(c.name); n != None {
		by(n, f.Prepare(n, c.amounts))
	}
}

// look calls all read-only methods.
func (f *Forest) look(cell Cell, amount int64) {
	for n := range NodeID(f.Nodes()) {
		v := f.Prepare(n, []Amount{{cell, amount}})
		b, _ := f.Blocked(n, v)
		f.StillBlocked(n, v, b)
		f.Exceeds(n, v)
		f.BorrowingDistance(n, v)
		f.Account(n, cell).Available()
		_ = f.Account(n, cell).Limit().Max()
		f.Uses(n)
	}
}

// charged returns the number of rows that are not zero.
func (f *Forest) charged() int {
	count := 0
	for i := range f.nodes {
		for _, r := range f.nodes[i].rows {
			if r.usage != (total{}) || r.own != (total{}) {
				count++
			}
		}
	}
	return count
}
