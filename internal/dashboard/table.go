// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// source is data that pages show and that changes. It is safe for concurrent use.
type source struct {
	mu sync.Mutex
	// first is closed when the first list is complete, or when it is known why it cannot be read. begun is closed when
	// the first object of that list has arrived, or when first is closed.
	first, begun chan struct{}
	known, some  bool
	// refused is the error that ended the source: the API server refuses the list. lost is why nothing can be read at
	// the moment.
	refused, lost error
	listeners     map[chan struct{}]bool
}

func newSource() source {
	return source{first: make(chan struct{}), begun: make(chan struct{}), listeners: map[chan struct{}]bool{}}
}

// listen sends to wake after each change from now on.
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

// change changes the source and notifies its listeners.
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

// begin notes that there is something to show. The caller holds s.mu.
func (s *source) begin() {
	if !s.some {
		s.some = true
		close(s.begun)
	}
}

// wake notifies the listeners. The caller holds s.mu.
func (s *source) wake() {
	for wake := range s.listeners {
		select {
		case wake <- struct{}{}:
		default: // it is already going to look
		}
	}
}

// Lost implements client.Observer.
func (s *source) Lost(why error) { s.change(func() { s.lost = why }) }

// refuse notes that the source has ended, and why.
func (s *source) refuse(why error) { s.change(func() { s.refused = why }) }

// standing returns why there is nothing to show, and why what is shown may be outdated. known is false as long as
// nothing is known.
func (s *source) standing() (refused, lost error, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused, s.lost, s.known
}

// table has the objects of a watch, with as much of each as pages show. Rows are never changed, only replaced, because
// tables of other viewers may contain them. It is safe for concurrent use.
type table[T any] struct {
	source
	uid  func(*T) types.UID
	pool *pool[T]
	// rows are nil until the first list is complete. arriving are the rows of a list that is being read.
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
		return nil // until the list is complete, pages show the old rows
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

// all returns the rows in no particular order. Until the first list is complete, these are the rows that have arrived.
func (t *table[T]) all() []*T {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rows == nil {
		return slices.Collect(maps.Values(t.arriving))
	}
	return slices.AppendSeq(make([]*T, 0, len(t.rows)), maps.Values(t.rows))
}
