// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// source is something that pages show and that changes. It is safe for concurrent use.
type source struct {
	mu sync.Mutex
	// first is closed as soon as it is known what there is, or why that cannot be known. begun is closed as soon as
	// the first object of the first list is there, or first is closed.
	first, begun chan struct{}
	known, some  bool
	// refused ends the source: the API server refuses the list. lost is why nothing is seen for now.
	refused, lost error
	listeners     map[chan struct{}]bool
}

func newSource() source {
	return source{first: make(chan struct{}), begun: make(chan struct{}), listeners: map[chan struct{}]bool{}}
}

// listen wakes a listener with each change from now on.
func (s *source) listen(wake chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners[wake] = true
}

func (s *source) unlisten(wake chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listeners, wake)
}

// change changes the source and wakes those that listen.
func (s *source) change(how func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	how()
	s.begin()
	if !s.known {
		s.known = true
		close(s.first)
	}
	s.wake()
}

// begin says that there is something to show. s.mu is held.
func (s *source) begin() {
	if !s.some {
		s.some = true
		close(s.begun)
	}
}

// wake wakes those that listen. s.mu is held.
func (s *source) wake() {
	for wake := range s.listeners {
		select {
		case wake <- struct{}{}:
		default: // it will look anyway
		}
	}
}

// Lost implements client.Observer.
func (s *source) Lost(why error) { s.change(func() { s.lost = why }) }

// refuse says that the source has ended, and why.
func (s *source) refuse(why error) { s.change(func() { s.refused = why }) }

// standing returns why there is nothing to show, and why what is shown may be outdated; known is false while neither can
// be said.
func (s *source) standing() (refused, lost error, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused, s.lost, s.known
}

// table has the objects that a watch sees, as much of each as pages show. Its rows are never changed, only replaced: pages
// of other viewers may have the same ones. It is safe for concurrent use.
type table[T any] struct {
	source
	uid  func(*T) types.UID
	pool *pool[T]
	// rows are nil until the first list is complete. arriving are those of a list that is being read.
	rows, arriving map[types.UID]*T
}

// Begin implements client.Listener.
func (t *table[T]) Begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.arriving = map[types.UID]*T{}
}

// Listed implements client.Listener.
func (t *table[T]) Listed(object []byte) error {
	row, err := t.pool.row(object)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.arriving[t.uid(row)] = row
	if t.rows != nil {
		return nil // pages show what was there before until the list is complete
	}
	t.begin()
	t.wake()
	return nil
}

// Complete implements client.Listener.
func (t *table[T]) Complete() {
	t.change(func() { t.lost, t.rows, t.arriving = nil, t.arriving, nil })
}

// Changed implements client.Listener.
func (t *table[T]) Changed(object []byte, deleted bool) error {
	row, err := t.pool.row(object)
	if err != nil {
		return err
	}
	t.change(func() {
		if deleted {
			delete(t.rows, t.uid(row))
			return
		}
		t.rows[t.uid(row)] = row
	})
	return nil
}

// all returns the rows, in any order; those that have arrived, until the first list is complete.
func (t *table[T]) all() []*T {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rows == nil {
		return slices.Collect(maps.Values(t.arriving))
	}
	return slices.AppendSeq(make([]*T, 0, len(t.rows)), maps.Values(t.rows))
}
