// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/queueing"
)

// shown remembers which sizes of its chunks the holder of a grant was last shown.
type shown struct {
	mu sync.Mutex
	// sizes are numbers of pods with quota, by uid of the chunk.
	sizes map[queueing.Key]map[types.UID]int32
}

// record records what a holder is shown. Pending chunks are left out, because whatever they get will be new to it.
func (s *shown) record(key queueing.Key, chunks []*kueuev1.Workload) {
	sizes := make(map[types.UID]int32, len(chunks))
	for _, w := range chunks {
		if !isPending(w) {
			sizes[w.UID] = charged(w)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sizes[key] = sizes
}

// has reports whether the holder has seen the current size of a chunk.
func (s *shown) has(key queueing.Key, w *kueuev1.Workload) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, known := s.sizes[key][w.UID]
	return known && n == charged(w)
}

func (s *shown) forget(key queueing.Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sizes, key)
}
