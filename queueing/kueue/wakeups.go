// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"fmt"
	"sync"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// wakeups wakes askers when the watches show a change that may concern their verdicts.
type wakeups struct {
	view   *view
	writer *writer
	unseen *unseen
	askers *askers

	mu sync.Mutex
	// lastStates holds the states of queues for which askers were last woken.
	lastStates map[string]string
}

// workloadChanged wakes the asker of a Workload that was added, changed or deleted.
func (c *wakeups) workloadChanged(w *kueuev1.Workload) {
	if key, ok := keyOf(w); ok {
		c.unseen.changed(key, w)
		c.writer.seen(w)
		c.askers.waker.Wake(key)
	}
}

// localQueueChanged wakes the askers of a queue if the part of its state that messages mention has changed. Other
// parts, such as counts, change all the time.
func (c *wakeups) localQueueChanged(q *kueuev1.LocalQueue) {
	name, exists := q.Namespace+"/"+q.Name, c.view.localQueues.Get(q.Namespace, q.Name) != nil
	if c.stateChanged("LocalQueue "+name, exists, q.Spec.ClusterQueue, stopOf(q.Spec.StopPolicy), activeOf(q.Status.Conditions)) {
		c.wakeQueue(name)
	}
}

func (c *wakeups) clusterQueueChanged(q *kueuev1.ClusterQueue) {
	exists := c.view.clusterQueues.Get("", q.Name) != nil
	if c.stateChanged("ClusterQueue "+q.Name, exists, stopOf(q.Spec.StopPolicy), activeOf(q.Status.Conditions), q.DeletionTimestamp != nil) {
		for _, o := range c.view.localQueues.By(clusterQueueIndex, q.Name) {
			c.wakeQueue(o.GetNamespace() + "/" + o.GetName())
		}
	}
}

func (c *wakeups) wakeQueue(name string) {
	for _, w := range c.view.workloadsBy(queueIndex, name) {
		if key, ok := keyOf(w); ok && !finished(w) {
			c.askers.waker.Wake(key)
		}
	}
}

// stateChanged reports whether the state of a queue differs from the last one.
func (c *wakeups) stateChanged(queue string, exists bool, state ...any) bool {
	now := ""
	if exists {
		now = fmt.Sprint(state...)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.lastStates[queue]
	if c.lastStates[queue] = now; !exists {
		delete(c.lastStates, queue)
	}
	return now != before
}

// activeOf returns status, reason and message of the condition Active of a queue.
func activeOf(conditions []metav1.Condition) string {
	c := apimeta.FindStatusCondition(conditions, kueuev1.ClusterQueueActive)
	if c == nil {
		return ""
	}
	return fmt.Sprint(c.Status, c.Reason, c.Message)
}

func stopOf(policy *kueuev1.StopPolicy) kueuev1.StopPolicy { return ptr.Deref(policy, kueuev1.None) }
