// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"slices"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// leaveForeign returns those queues whose trees no other operator leads, and remembers who leads the others.
func (g *Gate) leaveForeign(ctx context.Context, items []v1alpha1.SparkQueue) []v1alpha1.SparkQueue {
	leaders, parents := map[string]string{}, map[string]string{}
	for i := range items {
		parents[items[i].Name] = items[i].Spec.Parent
		if l := items[i].Status.Ledger; l != nil && items[i].Spec.Parent == "" && g.o.Operators.Other(ctx, l.Operator) {
			leaders[items[i].Name] = l.Operator
		}
	}
	foreign := map[string]string{}
	if len(leaders) > 0 {
		for i := range items {
			if leader := leaders[rootOf(parents, items[i].Name)]; leader != "" {
				foreign[items[i].Name] = leader
			}
		}
		items = slices.DeleteFunc(slices.Clone(items), func(q v1alpha1.SparkQueue) bool { return foreign[q.Name] != "" })
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for name, leader := range foreign {
		if g.foreign[name] != leader {
			g.o.Log.Info("Leaving a queue to the operator that leads its tree", "queue", name, "operator", leader)
		}
	}
	g.foreign = foreign
	return items
}

// rootOf follows a queue's parents up to the root. It returns "" if a parent is missing or the parents form a circle.
func rootOf(parents map[string]string, name string) string {
	for range parents {
		parent, exists := parents[name]
		if !exists || parent == "" {
			return map[bool]string{true: name}[exists]
		}
		name = parent
	}
	return ""
}

// LedBy returns the other operator that leads the tree of a queue, or the empty string if none is known.
func (g *Gate) LedBy(queue string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.foreign[queue]
}

// Serves reports whether the engine decides on a queue.
func (g *Gate) Serves(queue string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.serves[queue]
}
