// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"strconv"
	"strings"
	"testing"
)

// cpu is the cell of the tests that need only one.
var cpu = Cell{Flavor: "default", Resource: "cpu"}

// nodesOf reads one node a line: "name nominal 3 borrowing 2 lending 1", with "name < parent" for one that has a parent
// and "name ghost" for a ghost. A line without nominal has no limits. "max" is MaxAmount, "∞" is Unlimited.
func nodesOf(t *testing.T, text string) []Node {
	t.Helper()
	var nodes []Node
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		nodes = append(nodes, nodeOf(t, words))
	}
	return nodes
}

func nodeOf(t *testing.T, words []string) Node {
	t.Helper()
	n := Node{Name: words[0]}
	l := Limits{Cell: cpu, Borrowing: Unlimited, Lending: Unlimited}
	limited := false
	for i := 1; i < len(words); i++ {
		if words[i] == "ghost" {
			n.DeletedInUse = true
			continue
		}
		if i++; i == len(words) {
			t.Fatalf("%q has no value", words[i-1])
		}
		switch key, value := words[i-1], words[i]; key {
		case "<":
			n.Parent = value
		case "cell":
			flavor, resource, _ := strings.Cut(value, "/")
			l.Cell = Cell{flavor, resource}
		case "nominal":
			l.Nominal, limited = number(t, value), true
		case "borrowing":
			l.Borrowing = number(t, value)
		case "lending":
			l.Lending = number(t, value)
		default:
			t.Fatalf("%q is not known", key)
		}
	}
	if limited {
		n.Limits = []Limits{l}
	}
	return n
}

func number(t *testing.T, text string) int64 {
	t.Helper()
	switch text {
	case "max":
		return MaxAmount
	case "∞":
		return Unlimited
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func forestOf(t *testing.T, text string) *Forest {
	t.Helper()
	return NewForest(nodesOf(t, text))
}

// must returns a node, or fails the test.
func must(t *testing.T, f *Forest, name string) NodeID {
	t.Helper()
	n := f.Find(name)
	if n == None {
		t.Fatalf("there is no node %s", name)
	}
	return n
}

// use charges pairs of "name amount" in the cell cpu.
func use(t *testing.T, f *Forest, text string) {
	t.Helper()
	words := strings.Fields(text)
	for i := 0; i+1 < len(words); i += 2 {
		n := must(t, f, words[i])
		f.Add(n, f.Prepare(n, []Amount{{cpu, number(t, words[i+1])}}))
	}
}

// nameOf returns the name of a node, or "" for None.
func nameOf(f *Forest, n NodeID) string {
	if n == None {
		return ""
	}
	return f.At(n).Name
}
