// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/queueing/quota"
)

// Queues holds the existing queues, sorted by name, and the parents of those that are being deleted.
type Queues struct {
	live []Queue
	// Deleted has the parents of the queues that are being deleted, by name.
	Deleted map[string]string
}

// Read sorts the configurations of queues. Of several with the same name the first counts.
func Read(queues []Queue) *Queues {
	c := &Queues{Deleted: map[string]string{}}
	for _, q := range queues {
		switch {
		case q.Name == "":
		case q.Deleted:
			c.Deleted[q.Name] = q.Parent
		default:
			c.live = append(c.live, q)
		}
	}
	slices.SortStableFunc(c.live, func(a, b Queue) int { return strings.Compare(a.Name, b.Name) })
	c.live = slices.CompactFunc(c.live, func(a, b Queue) bool { return a.Name == b.Name })
	return c
}

// Find returns the configuration of an existing queue, or nil.
func (c *Queues) Find(name string) *Queue {
	at, found := slices.BinarySearchFunc(c.live, name, func(q Queue, name string) int { return strings.Compare(q.Name, name) })
	if !found {
		return nil
	}
	return &c.live[at]
}

// Nodes returns the existing queues with their limits, as package quota takes them.
func (c *Queues) Nodes() []quota.Node {
	nodes := make([]quota.Node, 0, len(c.live))
	for _, q := range c.live {
		n := quota.Node{Name: q.Name, Parent: q.Parent}
		for _, f := range q.Flavors {
			for _, r := range f.Quotas {
				n.Limits = append(n.Limits, quota.Limits{
					Cell:    quota.Cell{Flavor: f.Name, Resource: r.Resource},
					Nominal: r.Nominal, Borrowing: orUnlimited(r.Borrowing), Lending: orUnlimited(r.Lending),
				})
			}
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// Limited returns the roots of the trees in which some queue has a quota. A resource named by one queue of a tree is
// limited in all of them. Usage of deleted queues does not count.
func (c *Queues) Limited() map[string]bool {
	out := map[string]bool{}
	for _, q := range c.live {
		if slices.ContainsFunc(q.Flavors, func(f FlavorQuota) bool { return len(f.Quotas) > 0 }) {
			out[c.Root(q.Name)] = true
		}
	}
	return out
}

// Unlimited reports whether the root of a tree declares that the tree needs no quota.
func (c *Queues) Unlimited(root string) bool {
	q := c.Find(root)
	return q != nil && q.Unlimited
}

// Root returns the topmost existing queue above a queue, or any member if the queues form a cycle.
func (c *Queues) Root(name string) string {
	for range c.live {
		q := c.Find(name)
		if q == nil || c.Find(q.Parent) == nil {
			break
		}
		name = q.Parent
	}
	return name
}

func orUnlimited(limit *int64) int64 {
	if limit == nil {
		return quota.Unlimited
	}
	return *limit
}
