// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package metricseries

import (
	"maps"
	"slices"
	"sync"
)

// Sources holds the objects from which gauges are collected: one for each share of this process, or a single one
// without shares. The zero value is empty. It is safe for concurrent use.
type Sources[T any] struct {
	mu      sync.Mutex
	sources map[string]*T
}

// Set sets the source of a share, replacing the previous one.
func (s *Sources[T]) Set(share string, source *T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sources == nil {
		s.sources = map[string]*T{}
	}
	s.sources[share] = source
}

// Drop removes a source, unless another one has replaced it.
func (s *Sources[T]) Drop(share string, source *T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sources[share] == source {
		delete(s.sources, share)
	}
}

// All returns the sources in the order of their shares.
func (s *Sources[T]) All() []*T {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*T
	for _, share := range slices.Sorted(maps.Keys(s.sources)) {
		all = append(all, s.sources[share])
	}
	return all
}
