// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package share

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/trees"
)

// Begin takes over the queues of the tree from items, a list of all queues from the API server, and returns those that
// this leader serves. Call it before anything is charged. The result includes queues that have moved to another tree,
// because their ledgers may have grants in flight.
func (s *Share) Begin(ctx context.Context, items []v1alpha1.SparkQueue) ([]v1alpha1.SparkQueue, error) {
	if s == nil {
		return items, nil
	}
	if err := s.claimAll(ctx, items); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forest, s.serves, s.leaving = trees.New(items), map[string]bool{}, map[string]bool{}
	for i := range items {
		name := items[i].Name
		if s.Tree != "" && s.forest.Leader(name) == s.Tree {
			s.serves[name], s.leaving[name] = true, s.forest.Root(name) != s.Tree
		}
	}
	return slices.DeleteFunc(slices.Clone(items), func(q v1alpha1.SparkQueue) bool { return !s.servesLocked(q.Name) }), nil
}

// claimAll claims the queues of the tree that no leader serves, from the root downwards, and sets their status.tree in
// items.
func (s *Share) claimAll(ctx context.Context, items []v1alpha1.SparkQueue) error {
	if s.Tree == "" {
		return nil
	}
	for {
		names := trees.New(items).Claimable(s.Tree)
		claimed := false
		for i := range items {
			if slices.Contains(names, items[i].Name) {
				if err := s.write(ctx, &items[i], s.Tree); err != nil {
					return err
				}
				claimed = claimed || items[i].Status.Tree == s.Tree
			}
		}
		if !claimed {
			return nil // nothing to claim, or only queues that were deleted after items was read
		}
	}
}

// Choose evaluates the current queues, and returns those for the engine. Queues that have moved to another tree are
// released once nothing in them is in flight; until then Again is called. Queues that have moved into the tree are
// claimed, and what is held in them is charged before Choose returns them.
//
// Choose must not be called concurrently.
func (s *Share) Choose(ctx context.Context, items []v1alpha1.SparkQueue) ([]v1alpha1.SparkQueue, error) {
	if s == nil {
		return items, nil
	}
	before := s.replaceKnown(items) // first: grants in a deleted queue count at the queue above it from now on
	items = slices.Clone(items)     // claims are recorded in the copy; the specs are shared
	if err := s.release(ctx, items); err != nil {
		return nil, err
	}
	if err := s.claimAll(ctx, items); err != nil {
		return nil, err
	}
	added := s.added(items)
	if len(added) > 0 {
		if err := s.Charge(ctx, added); err != nil {
			return nil, err
		}
		s.Log.Info("Serving queues that were moved into the tree", "queues", added)
	}
	configured := s.serve(added, items, before)
	if s.unreported {
		s.unreported = false
		s.Changed()
	}
	return configured, nil
}

// serve starts to serve the queues that have moved into the tree, and returns the queues that the engine decides on.
func (s *Share) serve(added []string, items []v1alpha1.SparkQueue, before *trees.Forest) []v1alpha1.SparkQueue {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forest = trees.New(items)
	s.unreported = s.unreported || len(added) > 0 || s.Tree == "" && !s.forest.Equal(before)
	for _, name := range added {
		s.serves[name] = true
	}
	return s.configured(items)
}

// replaceKnown replaces the known queues, and returns the previous ones.
func (s *Share) replaceKnown(items []v1alpha1.SparkQueue) (before *trees.Forest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, s.forest = s.forest, trees.New(items)
	return before
}

// configured returns the queues that the engine decides on.
func (s *Share) configured(items []v1alpha1.SparkQueue) []v1alpha1.SparkQueue {
	return slices.DeleteFunc(slices.Clone(items), func(q v1alpha1.SparkQueue) bool {
		return !s.servesLocked(q.Name) || s.leaving[q.Name]
	})
}

// added returns the queues of the tree that this leader has claimed but does not serve yet.
func (s *Share) added(items []v1alpha1.SparkQueue) []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var names []string
	for forest, i := trees.New(items), 0; s.Tree != "" && i < len(items); i++ {
		if name := items[i].Name; forest.Leader(name) == s.Tree && forest.Root(name) == s.Tree && !s.serves[name] {
			names = append(names, name)
		}
	}
	return names
}

// release stops serving the queues that are no longer in the tree, and clears their status.tree. By then no pass works
// on anything in them.
func (s *Share) release(ctx context.Context, items []v1alpha1.SparkQueue) error {
	forest := trees.New(items)
	for _, name := range s.removed(forest) {
		if forest.Has(name) && s.Engine.InFlightIn(name) {
			s.Again()
			continue
		}
		s.giveUp(name)
		s.unreported = true
		s.Log.Info("No longer serving a queue that has left the tree", "queue", name)
	}
	for i := range items {
		q := &items[i]
		s.mu.RLock()
		released := s.Tree != "" && q.Status.Tree == s.Tree && !s.serves[q.Name] && forest.Root(q.Name) != s.Tree
		s.mu.RUnlock()
		if released {
			if err := s.write(ctx, q, ""); err != nil {
				return err
			}
		}
		if q.Status.Tree == "" {
			s.mu.Lock()
			delete(s.leaving, q.Name)
			s.mu.Unlock()
		}
	}
	return nil
}

// giveUp stops serving a queue, once the running passes have ended.
func (s *Share) giveUp(queue string) {
	s.passes.Lock()
	defer s.passes.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.serves, queue)
}

// removed returns the served queues that are no longer in the tree, and marks them as leaving.
func (s *Share) removed(forest *trees.Forest) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for name := range s.serves {
		if s.leaving[name] = forest.Root(name) != s.Tree; s.leaving[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// write sets status.tree of a queue. It fails with a conflict if the queue has changed since it was read. It does
// nothing if the queue was deleted.
func (s *Share) write(ctx context.Context, q *v1alpha1.SparkQueue, tree string) error {
	value := any(tree)
	if tree == "" {
		value = nil
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": q.ResourceVersion},
		"status":   map[string]any{"tree": value},
	})
	if err != nil {
		return fmt.Errorf("encode the tree of queue %s: %w", q.Name, err)
	}
	written := &v1alpha1.SparkQueue{}
	written.Name = q.Name
	err = s.Client.Status().Patch(ctx, written, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(v1alpha1.FieldOwner))
	if apierrors.IsNotFound(err) {
		return nil // the queue was deleted, and the next Choose will see that
	}
	if err != nil {
		return fmt.Errorf("write status.tree of queue %s: %w", q.Name, err)
	}
	q.ResourceVersion, q.Status.Tree = written.ResourceVersion, tree
	return nil
}
