// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package unmanagedpods

import (
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/pods/unmanaged"
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
	pods map[string]*unmanaged.Pod
	// names holds the names of the pods by uid.
	names map[types.UID]string
	// floor is the resource version of the newest complete list. A pod that this list did not contain and that is not
	// newer is gone.
	floor uint64
}

func newStore(changed func(types.NamespacedName)) *store {
	return &store{changed: changed, namespacesByName: map[string]*namespacePods{}}
}

// get returns a pod, or nil if it is not known.
func (s *store) get(name types.NamespacedName) *unmanaged.Pod {
	s.mu.Lock()
	defer s.mu.Unlock()
	if in := s.namespacesByName[name.Namespace]; in != nil {
		return in.pods[name.Name]
	}
	return nil
}

// of returns the pods of a namespace.
func (s *store) of(namespace string) []*unmanaged.Pod {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.namespacesByName[namespace]
	if in == nil {
		return nil
	}
	out := make([]*unmanaged.Pod, 0, len(in.pods))
	for _, p := range in.pods {
		out = append(out, p)
	}
	return out
}

// namespaces returns the names of the watched namespaces.
func (s *store) namespaces() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.namespacesByName))
}

// since returns the time since which a pod counts as waiting.
func (s *store) since(p *unmanaged.Pod) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.namespacesByName[p.Namespace]
	if in == nil || p.Owner == "" {
		return p.Created
	}
	return p.QueuedAt(in.pods[in.names[types.UID(p.Owner)]])
}

// listed is what is kept of a pod on its way to the store. Of a pod that is not Spark's this is only the identity,
// because a list contains all pods of a namespace, and users determine their number and size.
type listed struct {
	metav1.ObjectMeta
	pod *unmanaged.Pod
}

// listedOf reduces a pod to what is kept.
func listedOf(p *corev1.Pod) *listed {
	return &listed{metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name, UID: p.UID, ResourceVersion: p.ResourceVersion}, unmanaged.PodOf(p)}
}

// listedIn returns the pod in an object from a Reflector or a list, or nil if it is not a pod.
func listedIn(obj any) *listed {
	switch o := obj.(type) {
	case *listed:
		return o
	case *corev1.Pod:
		return listedOf(o)
	}
	return nil
}

// put stores a pod unless a newer version is known, and reports the pod to changed if it differs.
func (s *store) put(namespace string, p *listed) {
	s.mu.Lock()
	in := s.namespacesByName[namespace]
	differs := in != nil && in.put(p)
	s.mu.Unlock()
	if differs {
		s.changed(types.NamespacedName{Namespace: namespace, Name: p.Name})
	}
}

func (in *namespacePods) put(p *listed) (differs bool) {
	version, known := pods.VersionOf(p.ResourceVersion), in.pods[p.Name]
	if known != nil && known.Version > version || known == nil && version <= in.floor {
		return false
	}
	now := p.pod
	switch {
	case now == nil:
		in.drop(p.Name)
		return known != nil
	case known != nil && known.UID != now.UID:
		in.drop(p.Name)
	}
	in.pods[p.Name], in.names[now.UID] = now, p.Name
	return known == nil || !known.Same(now)
}

func (in *namespacePods) drop(name string) {
	known := in.pods[name]
	if known == nil {
		return
	}
	delete(in.pods, name)
	delete(in.names, known.UID)
}

func (s *store) remove(namespace string, p *listed) {
	s.mu.Lock()
	in := s.namespacesByName[namespace]
	mine := in != nil && in.pods[p.Name] != nil && in.pods[p.Name].UID == p.UID
	if mine {
		in.drop(p.Name)
	}
	s.mu.Unlock()
	if mine {
		s.changed(types.NamespacedName{Namespace: namespace, Name: p.Name})
	}
}

// replace replaces the pods of a namespace by a complete list with this resource version. Pods that are newer than the
// list stay.
func (s *store) replace(namespace string, list []*listed, resourceVersion string) {
	version := pods.VersionOf(resourceVersion)
	touched, seen := map[string]bool{}, make(map[string]bool, len(list))
	s.mu.Lock()
	in := s.namespacesByName[namespace]
	if in == nil {
		in = &namespacePods{} // it was left meanwhile
		list = nil
	}
	for _, p := range list {
		seen[p.Name] = true
		if in.put(p) {
			touched[p.Name] = true
		}
	}
	in.floor = max(in.floor, version)
	for name, p := range in.pods {
		if !seen[name] && p.Version <= version {
			in.drop(name)
			touched[name] = true
		}
	}
	s.mu.Unlock()
	for name := range touched {
		s.changed(types.NamespacedName{Namespace: namespace, Name: name})
	}
}

// open starts to keep the pods of a namespace.
func (s *store) open(namespace string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.namespacesByName[namespace] == nil {
		s.namespacesByName[namespace] = &namespacePods{pods: map[string]*unmanaged.Pod{}, names: map[types.UID]string{}}
	}
}

// forget drops a namespace.
func (s *store) forget(namespace string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.namespacesByName, namespace)
}

// reflectorStore is the target of a Reflector: the part of a store that holds one namespace.
type reflectorStore struct {
	store     *store
	namespace string
}

var (
	_ cache.ReflectorStore    = reflectorStore{}
	_ cache.TransformingStore = reflectorStore{}
)

// Transformer makes the Reflector keep reduced pods while it collects the first list.
func (v reflectorStore) Transformer() cache.TransformFunc {
	return func(obj any) (any, error) {
		if p := listedIn(obj); p != nil {
			return p, nil
		}
		return obj, nil
	}
}

func (v reflectorStore) Add(obj any) error { return v.Update(obj) }
func (v reflectorStore) Resync() error     { return nil }
func (v reflectorStore) Update(obj any) error {
	if p := listedIn(obj); p != nil {
		v.store.put(v.namespace, p)
	}
	return nil
}

func (v reflectorStore) Delete(obj any) error {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = gone.Obj
	}
	if p := listedIn(obj); p != nil {
		v.store.remove(v.namespace, p)
	}
	return nil
}

func (v reflectorStore) Replace(list []any, resourceVersion string) error {
	all := make([]*listed, 0, len(list))
	for _, obj := range list {
		if p := listedIn(obj); p != nil {
			all = append(all, p)
		}
	}
	v.store.replace(v.namespace, all, resourceVersion)
	return nil
}
