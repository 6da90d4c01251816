// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// source is something that pages show and that changes. It is safe for concurrent use.
type source struct {
	mu sync.Mutex
	// first is closed as soon as it is known what there is, or why that cannot be known.
	first chan struct{}
	known bool
	// refused ends the source: the API server refuses the list. lost is why nothing is seen for now.
	refused, lost error
	listeners     map[chan struct{}]bool
}

func newSource() source {
	return source{first: make(chan struct{}), listeners: map[chan struct{}]bool{}}
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
	if !s.known {
		s.known = true
		close(s.first)
	}
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

// table has the objects that a watch sees, as much of each as pages show. Its rows are never changed, only replaced. It is
// safe for concurrent use.
type table[T any] struct {
	source
	uid  func(*T) types.UID
	rows map[types.UID]*T
}

// Replace implements client.Observer.
func (t *table[T]) Replace(all []T) {
	t.change(func() {
		t.lost, t.rows = nil, make(map[types.UID]*T, len(all))
		for i := range all {
			row := all[i] // a copy, so that one row does not keep all of them in memory
			t.rows[t.uid(&row)] = &row
		}
	})
}

// Change implements client.Observer.
func (t *table[T]) Change(row *T, deleted bool) {
	t.change(func() {
		if deleted {
			delete(t.rows, t.uid(row))
			return
		}
		t.rows[t.uid(row)] = row
	})
}

// all returns the rows, in any order.
func (t *table[T]) all() []*T {
	t.mu.Lock()
	defer t.mu.Unlock()
	rows := make([]*T, 0, len(t.rows))
	for _, row := range t.rows {
		rows = append(rows, row)
	}
	return rows
}
