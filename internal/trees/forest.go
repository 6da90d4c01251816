// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"maps"
	"slices"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Forest is a snapshot of all queues. It is immutable after New.
type Forest struct {
	queues map[string]node
}

// node is one queue in a forest.
type node struct {
	parent string
	// root is the root of the tree that the queue belongs to by its spec; empty if a queue above it does not exist.
	root string
	// leader is the tree whose leader serves the queue, by the queue's status; empty if no leader does.
	leader string
}

// New returns the forest of the given queues. It keeps no reference to them.
func New(items []v1alpha1.SparkQueue) *Forest {
	f := &Forest{queues: make(map[string]node, len(items))}
	for i := range items {
		f.queues[items[i].Name] = node{parent: items[i].Spec.Parent, leader: items[i].Status.Tree}
	}
	for name, n := range f.queues {
		n.root = f.rootOf(name)
		f.queues[name] = n
	}
	return f
}

// rootOf follows a queue's parents up to the root. It returns "" if a parent is missing or the parents form a circle.
func (f *Forest) rootOf(name string) string {
	for range f.queues {
		n, exists := f.queues[name]
		if !exists {
			return ""
		}
		if n.parent == "" {
			return name
		}
		name = n.parent
	}
	return ""
}

// Has reports whether a queue exists.
func (f *Forest) Has(queue string) bool {
	_, exists := f.queues[queue]
	return exists
}

// Root returns the root of the tree that a queue belongs to; empty if the queue or one above it does not exist, or if
// they form a circle.
func (f *Forest) Root(queue string) string { return f.queues[queue].root }

// Leader returns the root of the tree whose leader serves a queue; empty if no leader does.
func (f *Forest) Leader(queue string) string { return f.queues[queue].leader }

// Trees returns the sorted names of all trees: those that exist, and those whose leader still serves a queue.
func (f *Forest) Trees() []string {
	names := map[string]bool{}
	for _, n := range f.queues {
		for _, name := range []string{n.root, n.leader} {
			if name != "" {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Claimable returns the sorted names of the queues that a tree's leader may start to serve: those which are in the
// tree, which no leader serves, and whose parent, if any, the same leader serves already.
func (f *Forest) Claimable(tree string) []string {
	var names []string
	for name, n := range f.queues {
		if n.root == tree && n.leader == "" && (n.parent == "" || f.Leader(n.parent) == tree) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Equal reports whether both forests have the same queues, in the same trees, served by the same leaders.
func (f *Forest) Equal(other *Forest) bool { return maps.Equal(f.queues, other.queues) }
