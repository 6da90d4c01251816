// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// recorded is a Record, or embeds one.
type recorded interface {
	comparable
	record() *Record
}

func (r *Record) record() *Record { return r }

// Rules say what a Cache keeps and reports. All are required.
type Rules[T recorded] struct {
	// Reduce returns what is kept of a pod; nil if nothing is.
	Reduce func(*corev1.Pod) T
	// Same reports whether two states of a pod lead to the same decisions.
	Same func(a, b T) bool
	// Index is called with each change while the cache is locked. old or now is nil if the pod was not kept before, or
	// is no longer kept.
	Index func(old, now T)
	// Subject returns the name that is reported if a pod has changed; a name without Name is not reported.
	Subject func(T) types.NamespacedName
	// Changed is called with each subject, without a lock held.
	Changed func(types.NamespacedName)
}

// Cache holds the newest known state of pods, reduced to T. Reflectors, lists and the answers to own writes fill it, in
// any order. It is safe for concurrent use.
type Cache[T recorded] struct {
	rules Rules[T]

	mu   sync.RWMutex
	pods map[string]map[string]T // namespace → name
	// floors are the versions of the newest complete list of each namespace, or of all namespaces under the empty name.
	// A pod that was not in that list and is not newer is gone.
	floors map[string]uint64
	// watchVersion is the version of the newest event of the watch, whose events are ordered by version. A pod that is
	// not in the cache and is not newer is gone.
	watchVersion uint64
}

// NewCache returns an empty cache.
func NewCache[T recorded](rules Rules[T]) *Cache[T] {
	return &Cache[T]{rules: rules, pods: map[string]map[string]T{}, floors: map[string]uint64{}}
}

// reduced is what is kept of a pod on its way to the cache. The Reflector collects its first list in a temporary store,
// which needs metadata. kept is nil for a pod that is not kept: a list may contain all pods of a namespace, and users
// determine their number and size.
type reduced[T recorded] struct {
	metav1.ObjectMeta
	kept T
}

// reduce returns the pod in an object from a Reflector or a list; nil if it is not a pod.
func (c *Cache[T]) reduce(obj any) *reduced[T] {
	switch o := obj.(type) {
	case *reduced[T]:
		return o
	case *corev1.Pod:
		identity := metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Name, UID: o.UID, ResourceVersion: o.ResourceVersion}
		return &reduced[T]{identity, c.rules.Reduce(o)}
	}
	return nil
}

// Transformer returns a function that lets the Reflector keep reduced pods while it collects its first list.
func (c *Cache[T]) Transformer() cache.TransformFunc {
	return func(obj any) (any, error) {
		if p := c.reduce(obj); p != nil {
			return p, nil
		}
		return obj, nil
	}
}

// Get returns a pod, nil if it is not known.
func (c *Cache[T]) Get(pod types.NamespacedName) T {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.pods[pod.Namespace][pod.Name]
}

// All returns the pods of a namespace, in no particular order.
func (c *Cache[T]) All(namespace string) []T {
	c.mu.RLock()
	defer c.mu.RUnlock()
	all := make([]T, 0, len(c.pods[namespace]))
	for _, p := range c.pods[namespace] {
		all = append(all, p)
	}
	return all
}

// Add stores a new pod. The Reflector calls it.
func (c *Cache[T]) Add(obj any) error { return c.Update(obj) }

// Update stores a changed pod. The Reflector calls it.
func (c *Cache[T]) Update(obj any) error {
	if p := c.reduce(obj); p != nil {
		c.change(func(touched subjects) {
			c.watchVersion = max(c.watchVersion, VersionOf(p.ResourceVersion))
			c.put(p, touched)
		})
	}
	return nil
}

// ObservedWrite stores a pod as the API server returned it to a write of this process. It is ignored if the watch has
// shown something newer, such as the deletion of the pod.
func (c *Cache[T]) ObservedWrite(pod *corev1.Pod) {
	p := c.reduce(pod)
	c.change(func(touched subjects) {
		if _, known := c.pods[p.Namespace][p.Name]; known || VersionOf(p.ResourceVersion) > c.watchVersion {
			c.put(p, touched)
		}
	})
}

// Delete removes a pod. The Reflector calls it.
func (c *Cache[T]) Delete(obj any) error {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = gone.Obj
	}
	if p := c.reduce(obj); p != nil {
		c.change(func(touched subjects) {
			c.watchVersion = max(c.watchVersion, VersionOf(p.ResourceVersion))
			if known, there := c.pods[p.Namespace][p.Name]; there && known.record().UID == p.UID {
				c.put(p, touched) // its last state
				c.set(p.Namespace, p.Name, *new(T), touched)
			}
		})
	}
	return nil
}

// Replace stores a complete list of the pods of all namespaces, read at that resource version, and removes the pods
// that are not in it. The Reflector calls it after every LIST. Pods newer than the list stay.
func (c *Cache[T]) Replace(list []any, resourceVersion string) error {
	c.replace(metav1.NamespaceAll, list, resourceVersion)
	return nil
}

// Resync does nothing: changes are the only reports.
func (c *Cache[T]) Resync() error { return nil }

func (c *Cache[T]) replace(namespace string, list []any, resourceVersion string) {
	version, seen := VersionOf(resourceVersion), make(map[types.NamespacedName]bool, len(list))
	c.change(func(touched subjects) {
		for _, obj := range list {
			if p := c.reduce(obj); p != nil {
				seen[types.NamespacedName{Namespace: p.Namespace, Name: p.Name}] = true
				c.put(p, touched)
			}
		}
		c.floors[namespace] = max(c.floors[namespace], version)
		for in, pods := range c.pods {
			if namespace != metav1.NamespaceAll && in != namespace {
				continue
			}
			for name, p := range pods {
				if !seen[types.NamespacedName{Namespace: in, Name: name}] && p.record().Version <= version {
					c.set(in, name, *new(T), touched)
				}
			}
		}
	})
}

// subjects are the names to report.
type subjects map[types.NamespacedName]bool

// change calls write with the lock held, and then reports what was touched.
func (c *Cache[T]) change(write func(touched subjects)) {
	touched := subjects{}
	c.mu.Lock()
	write(touched)
	c.mu.Unlock()
	for name := range touched {
		if name.Name != "" {
			c.rules.Changed(name)
		}
	}
}

// put stores a pod, unless a newer version is known. The versions of all pods form one sequence.
func (c *Cache[T]) put(p *reduced[T], touched subjects) {
	version, newest := VersionOf(p.ResourceVersion), max(c.floors[p.Namespace], c.floors[metav1.NamespaceAll])
	known, there := c.pods[p.Namespace][p.Name]
	if there && known.record().Version > version || !there && version <= newest {
		return
	}
	c.set(p.Namespace, p.Name, p.kept, touched)
}

// set stores what is kept of a pod, or removes the pod if that is nil.
func (c *Cache[T]) set(namespace, name string, now T, touched subjects) {
	var none T
	old := c.pods[namespace][name]
	switch {
	case old == none && now == none:
		return
	case now != none:
		if c.pods[namespace] == nil {
			c.pods[namespace] = map[string]T{}
		}
		c.pods[namespace][name] = now
	default:
		if delete(c.pods[namespace], name); len(c.pods[namespace]) == 0 {
			delete(c.pods, namespace)
		}
	}
	c.rules.Index(old, now)
	if old != none && now != none && c.rules.Same(old, now) {
		return
	}
	for _, p := range []T{old, now} {
		if p != none {
			touched[c.rules.Subject(p)] = true
		}
	}
}
