// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package unmanagedpods

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/pods/unmanaged"
)

// unattributedReason is the reason of the event on a pod whose labels name an application to which it cannot be
// attributed.
const unattributedReason = "Unattributed"

// unattributedPods are pods that carry the labels of an application but cannot be attributed to it: the application
// does not exist, or has not created them, or they exceed what it held. They are charged like pods of no application.
// It is safe for concurrent use.
type unattributedPods struct {
	mu sync.Mutex
	// pods holds the uids of the pods by name.
	pods map[types.NamespacedName]types.UID
	// apps holds the names of the pods by the application whose labels they carry.
	apps map[types.NamespacedName]map[types.NamespacedName]bool
}

func newUnattributedPods() *unattributedPods {
	return &unattributedPods{pods: map[types.NamespacedName]types.UID{}, apps: map[types.NamespacedName]map[types.NamespacedName]bool{}}
}

// add adds a pod, and reports whether it is new.
func (c *unattributedPods) add(r *pods.Record) bool {
	pod, app := nameOf(r), types.NamespacedName{Namespace: r.Namespace, Name: r.Application}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pods[pod] == r.UID {
		return false
	}
	c.pods[pod] = r.UID
	if c.apps[app] == nil {
		c.apps[app] = map[types.NamespacedName]bool{}
	}
	c.apps[app][pod] = true
	return true
}

func (c *unattributedPods) has(pod types.NamespacedName) (types.UID, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	uid, has := c.pods[pod]
	return uid, has
}

func (c *unattributedPods) drop(pod types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pods, pod)
	for app, of := range c.apps {
		if delete(of, pod); len(of) == 0 {
			delete(c.apps, app)
		}
	}
}

// of returns the pods that carry the labels of an application.
func (c *unattributedPods) of(app types.NamespacedName) []types.NamespacedName {
	c.mu.Lock()
	defer c.mu.Unlock()
	return keysOf(c.apps[app])
}

func (c *unattributedPods) all() []types.NamespacedName {
	c.mu.Lock()
	defer c.mu.Unlock()
	return keysOf(c.pods)
}

func keysOf[V any](m map[types.NamespacedName]V) []types.NamespacedName {
	var keys []types.NamespacedName
	for key := range m {
		keys = append(keys, key)
	}
	return keys
}

// ChargeUnattributed charges a pod to the queue of its namespace from now on, until it is gone. It does not block.
func (r *Reconciler) ChargeUnattributed(record *pods.Record) {
	if r.unattributed.add(record) {
		r.Wake(nameOf(record))
	}
}

// Changed reports that something has changed about the pods with the labels of an application. It does not block.
func (r *Reconciler) Changed(app types.NamespacedName) {
	for _, pod := range r.unattributed.of(app) {
		r.Wake(pod)
	}
}

// known returns a pod that is charged here, or nil if there is none with this name.
func (r *Reconciler) known(name types.NamespacedName) *unmanaged.Pod {
	if p := r.store.get(name); p != nil {
		return p
	}
	uid, charged := r.unattributed.has(name)
	if !charged {
		return nil
	}
	record := r.Spark.Get(name)
	if record == nil || record.UID != uid || !record.OnNode() {
		r.unattributed.drop(name)
		return nil
	}
	return unattributedPod(record)
}

// unattributedPod returns a pod as the youngest one, so that it gains no seniority from the labels of an application.
func unattributedPod(record *pods.Record) *unmanaged.Pod {
	return &unmanaged.Pod{Record: record, Requests: record.Requests(), Created: unmanaged.Youngest, Unattributed: true}
}

func nameOf(r *pods.Record) types.NamespacedName {
	return types.NamespacedName{Namespace: r.Namespace, Name: r.Name}
}
