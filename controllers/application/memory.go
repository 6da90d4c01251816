// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Memory is what a process remembers of its own writes. The watch lags behind them: a pass on an object older than the own last
// write would decide on what it has itself changed already. Safe for concurrent use.
type Memory struct {
	mu   sync.Mutex
	apps map[types.NamespacedName]*remembered
}

type remembered struct {
	uid     types.UID
	version uint64    // of the last own write, or of the list at the start
	written time.Time // last own write of the status
	// created is the attempt whose driver this process has created, and when.
	created   attempt
	createdAt time.Time
	// unsettled is until when a create without an answer may still take effect.
	unsettled time.Time
}

type attempt struct{ run, attempt int64 }

// NewMemory returns an empty memory.
func NewMemory() *Memory {
	return &Memory{apps: map[types.NamespacedName]*remembered{}}
}

// Stale says that an object is older than what this process knows to exist.
func (m *Memory) Stale(obj client.Object) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.apps[client.ObjectKeyFromObject(obj)]
	return r != nil && r.uid == obj.GetUID() && versionOf(obj) < r.version
}

// Saw remembers that the object exists in this version.
func (m *Memory) Saw(obj client.Object) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.of(obj)
	r.version = max(r.version, versionOf(obj))
}

// Forget drops what is remembered of an application.
func (m *Memory) Forget(name types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.apps, name)
}

func (m *Memory) wrote(obj client.Object, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.of(obj)
	r.version, r.written = max(r.version, versionOf(obj)), at
}

func (m *Memory) lastWrite(obj client.Object) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.of(obj).written
}

func (m *Memory) driverCreated(obj client.Object, a attempt, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.of(obj)
	r.created, r.createdAt, r.unsettled = a, at, time.Time{}
}

// createdSince says when this process created the driver of an attempt; zero if it did not.
func (m *Memory) createdSince(obj client.Object, a attempt) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.of(obj); r.created == a {
		return r.createdAt
	}
	return time.Time{}
}

func (m *Memory) unanswered(obj client.Object, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of(obj).unsettled = until
}

func (m *Memory) unsettledUntil(obj client.Object) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.of(obj).unsettled
}

// of returns the entry of an object; one of another uid is replaced. The caller holds the lock.
func (m *Memory) of(obj client.Object) *remembered {
	key := client.ObjectKeyFromObject(obj)
	r := m.apps[key]
	if r == nil || r.uid != obj.GetUID() {
		r = &remembered{uid: obj.GetUID()}
		m.apps[key] = r
	}
	return r
}

// versionOf reads a resource version. They are numbers that grow (Kubernetes API concepts, "Resource versions").
func versionOf(obj client.Object) uint64 {
	n, err := strconv.ParseUint(obj.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
