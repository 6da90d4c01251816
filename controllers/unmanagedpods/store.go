// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package unmanagedpods

import (
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/pods/unmanaged"
)

// store holds the pods of all guarded namespaces. It is safe for concurrent use.
type store struct {
	// changed is called, without holding the lock, with each pod that was added, changed or deleted.
	changed func(types.NamespacedName)

	mu               sync.Mutex
	namespacesByName map[string]*namespacePods
}

// namespacePods holds the pods of one namespace.
type namespacePods struct {
	*pods.Cache[*unmanaged.Pod]

	mu    sync.Mutex
	byUID map[types.UID]*unmanaged.Pod
}

func newStore(changed func(types.NamespacedName)) *store {
	return &store{changed: changed, namespacesByName: map[string]*namespacePods{}}
}

// open starts to keep the pods of a namespace, and returns them.
func (s *store) open(namespace string) *namespacePods {
	s.mu.Lock()
	defer s.mu.Unlock()
	if in := s.namespacesByName[namespace]; in != nil {
		return in
	}
	in := &namespacePods{byUID: map[types.UID]*unmanaged.Pod{}}
	in.Cache = pods.NewCache(pods.Rules[*unmanaged.Pod]{
		Reduce: unmanaged.PodOf, Same: (*unmanaged.Pod).Same, Index: in.index, Changed: s.changed,
		Subject: func(p *unmanaged.Pod) types.NamespacedName { return nameOf(p.Record) },
	})
	s.namespacesByName[namespace] = in
	return in
}

// forget drops a namespace.
func (s *store) forget(namespace string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.namespacesByName, namespace)
}

// in returns the pods of a namespace, nil if it is not open.
func (s *store) in(namespace string) *namespacePods {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.namespacesByName[namespace]
}

// namespaces returns the names of the watched namespaces.
func (s *store) namespaces() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.namespacesByName))
}

// get returns a pod, or nil if it is not known.
func (s *store) get(name types.NamespacedName) *unmanaged.Pod {
	if in := s.in(name.Namespace); in != nil {
		return in.Get(name)
	}
	return nil
}

// of returns the pods of a namespace.
func (s *store) of(namespace string) []*unmanaged.Pod {
	if in := s.in(namespace); in != nil {
		return in.All(namespace)
	}
	return nil
}

// observedWrite stores a pod as the API server returned it to a write of this process.
func (s *store) observedWrite(pod *corev1.Pod) {
	if in := s.in(pod.Namespace); in != nil {
		in.ObservedWrite(pod)
	}
}

// since returns the time since which a pod counts as waiting.
func (s *store) since(p *unmanaged.Pod) time.Time {
	in := s.in(p.Namespace)
	if in == nil || p.Owner == "" {
		return p.Created
	}
	return p.QueuedAt(in.withUID(types.UID(p.Owner)))
}

// index keeps the pods by uid. The Cache calls it with each change.
func (in *namespacePods) index(old, now *unmanaged.Pod) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if old != nil {
		delete(in.byUID, old.UID)
	}
	if now != nil {
		in.byUID[now.UID] = now
	}
}

// withUID returns the pod with a uid, nil if it is not known.
func (in *namespacePods) withUID(uid types.UID) *unmanaged.Pod {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.byUID[uid]
}
