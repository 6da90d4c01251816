// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package viewer

import (
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// Source is data that pages show and that changes. It is safe for concurrent use.
type Source struct {
	mu sync.Mutex
	// First is closed when the first list is complete, or when it is known why it cannot be read. begun is closed when
	// the first object of that list has arrived, or when first is closed.
	First, Begun chan struct{}
	known, some  bool
	// rejected is the error that ended the source: the API server rejects the list. lost is why nothing can be read at
	// the moment.
	rejected, lost error
	listeners      map[chan struct{}]bool
}

func newSource() Source {
	return Source{First: make(chan struct{}), Begun: make(chan struct{}), listeners: map[chan struct{}]bool{}}
}

// Listen sends to wake after each change from now on.
func (s *Source) Listen(wake chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners[wake] = true
}

// Unlisten ends Listen.
func (s *Source) Unlisten(wake chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listeners, wake)
}

// update changes the source and notifies its listeners.
func (s *Source) update(how func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	how()
	s.begin()
	if !s.known {
		s.known = true
		close(s.First)
	}
	s.wake()
}

// begin notes that there is something to show. The caller holds s.mu.
func (s *Source) begin() {
	if !s.some {
		s.some = true
		close(s.Begun)
	}
}

// wake notifies the listeners. The caller holds s.mu.
func (s *Source) wake() {
	for wake := range s.listeners {
		select {
		case wake <- struct{}{}:
		default: // it is already going to look
		}
	}
}

// Lost implements client.Observer.
func (s *Source) Lost(why error) { s.update(func() { s.lost = why }) }

// reject notes that the source has ended, and why.
func (s *Source) reject(why error) { s.update(func() { s.rejected = why }) }

// Standing returns why there is nothing to show, and why what is shown may be outdated. known is false as long as
// nothing is known.
func (s *Source) Standing() (rejected, lost error, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rejected, s.lost, s.known
}

// Table has the objects of a watch, with as much of each as pages show. Rows are never changed, only replaced, because
// tables of other viewers may contain them. It is safe for concurrent use.
type Table[T any] struct {
	Source
	pool *pool[T]
	// rows are nil until the first list is complete. arriving are the rows of a list that is being read.
	rows, arriving map[types.UID]*T
}

// Begin implements client.Listener.
func (t *Table[T]) Begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.arriving = map[types.UID]*T{}
}

// Listed implements client.Listener.
func (t *Table[T]) Listed(object []byte) error {
	uid, row, err := t.pool.row(object)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.arriving[uid] = row
	if t.rows != nil {
		return nil // until the list is complete, pages show the old rows
	}
	t.begin()
	t.wake()
	return nil
}

// Complete implements client.Listener.
func (t *Table[T]) Complete() {
	t.update(func() { t.lost, t.rows, t.arriving = nil, t.arriving, nil })
}

// Changed implements client.Listener.
func (t *Table[T]) Changed(object []byte, deleted bool) error {
	uid, row, err := t.pool.row(object)
	if err != nil {
		return err
	}
	t.update(func() {
		if deleted {
			delete(t.rows, uid)
			return
		}
		t.rows[uid] = row
	})
	return nil
}

// All returns the rows in no particular order. Until the first list is complete, these are the rows that have arrived.
func (t *Table[T]) All() []*T {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rows == nil {
		return slices.Collect(maps.Values(t.arriving))
	}
	return slices.AppendSeq(make([]*T, 0, len(t.rows)), maps.Values(t.rows))
}
