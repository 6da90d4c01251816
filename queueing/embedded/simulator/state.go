// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"maps"
	"slices"

	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// configuration is the current configuration, by name.
type configuration struct {
	queues  map[string]config.Queue
	flavors map[string]config.Flavor
}

func newConfiguration(s Scenario) configuration {
	at := configuration{queues: map[string]config.Queue{}, flavors: map[string]config.Flavor{}}
	for _, q := range s.Queues {
		at.queues[q.Name] = q
	}
	for _, f := range s.Flavors {
		at.flavors[f.Name] = f
	}
	return at
}

// apply applies one change. Deleting something that does not exist changes nothing.
func (s configuration) apply(c Change) {
	if c.Queue != nil {
		s.queues[c.Queue.Name] = *c.Queue
	}
	if c.Flavor != nil {
		s.flavors[c.Flavor.Name] = *c.Flavor
	}
	delete(s.queues, c.DeleteQueue)
	delete(s.flavors, c.DeleteFlavor)
}

func (s configuration) sortedQueues() []config.Queue { return sorted(s.queues) }

func (s configuration) sortedFlavors() []config.Flavor { return sorted(s.flavors) }

// sorted returns the values in the order of their names. The slice is new, so the engine may keep it.
func sorted[T any](byName map[string]T) []T {
	out := make([]T, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, byName[name])
	}
	return out
}
