// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// perApp holds one value of type T for each application, by name. Its lock guards the map and the values.
type perApp[T any] struct {
	mu   sync.Mutex
	apps map[types.NamespacedName]*entry[T]
}

type entry[T any] struct {
	uid   types.UID
	known T
}

func newPerApp[T any]() perApp[T] {
	return perApp[T]{apps: map[types.NamespacedName]*entry[T]{}}
}

// of returns the value of an application, which the caller may change. It is the zero value if the entry was of another
// application with the same name. The caller must hold the lock.
func (p *perApp[T]) of(obj client.Object) *T {
	key := client.ObjectKeyFromObject(obj)
	e := p.apps[key]
	if e == nil || e.uid != obj.GetUID() {
		e = &entry[T]{uid: obj.GetUID()}
		p.apps[key] = e
	}
	return &e.known
}

// peek returns the value of an application, or the zero value without creating an entry. The caller must hold the lock.
func (p *perApp[T]) peek(obj client.Object) T {
	if e := p.apps[client.ObjectKeyFromObject(obj)]; e != nil && e.uid == obj.GetUID() {
		return e.known
	}
	return *new(T)
}

// get is peek for a caller that does not hold the lock.
func (p *perApp[T]) get(obj client.Object) T {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.peek(obj)
}

// update calls change with the value of an application while holding the lock.
func (p *perApp[T]) update(obj client.Object, change func(known *T)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p.of(obj))
}

// knows reports whether there is an entry for the application with this name and uid.
func (p *perApp[T]) knows(name types.NamespacedName, uid types.UID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.apps[name]
	return e != nil && e.uid == uid
}

// forget drops the entry of an application.
func (p *perApp[T]) forget(name types.NamespacedName) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.apps, name)
}
