// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package metricseries

import (
	"maps"
	"slices"
	"sync"
)

// Sources are what gauges are read from: one for each share of this process, which is one of all without shares. The zero
// value has none. Safe for concurrent use.
type Sources[T any] struct {
	mu      sync.Mutex
	sources map[string]*T
}

// Set makes source the one of a share. It replaces the one before.
func (s *Sources[T]) Set(share string, source *T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sources == nil {
		s.sources = map[string]*T{}
	}
	s.sources[share] = source
}

// Drop ends what Set began, unless another one has replaced it.
func (s *Sources[T]) Drop(share string, source *T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sources[share] == source {
		delete(s.sources, share)
	}
}

// All returns the sources, in the order of their shares.
func (s *Sources[T]) All() []*T {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*T
	for _, share := range slices.Sorted(maps.Keys(s.sources)) {
		all = append(all, s.sources[share])
	}
	return all
}
