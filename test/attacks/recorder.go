// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package attacks

import (
	"context"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// recorder watches the objects of an attempt, and checks the invariants. It is safe for concurrent use.
type recorder struct {
	t         *testing.T
	namespace string

	mu sync.Mutex
	// outside says why the quota does not count the attempt's pods; empty if it does.
	outside string
	// other reports whether the neighbour uses its queue.
	other bool
	// pods are the Spark pods that run or may run: those which have not ended and are not behind the scheduling gate.
	pods map[types.UID]usage
	peak usage
	// graces are the longest grace periods of Spark pods whose deletion was requested, by UID.
	graces map[types.UID]time.Duration
}

// usage is in milli-CPU and bytes. Amounts larger than an attempt needs are cut, so that sums do not overflow.
type usage struct{ cpu, memory int64 }

const most = int64(1) << 60

// record watches a namespace until the end of the test.
func record(t *testing.T, namespace string) *recorder {
	t.Helper()
	r := &recorder{t: t, namespace: namespace, pods: map[types.UID]usage{}, graces: map[types.UID]time.Duration{}}
	stream, err := cluster.client.Watch(context.Background(), &corev1.PodList{}, client.InNamespace(namespace), &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for e := range stream.ResultChan() {
			if pod, ok := e.Object.(*corev1.Pod); ok {
				r.saw(e.Type, pod)
			}
		}
	})
	t.Cleanup(func() { stream.Stop(); running.Wait() })
	return r
}

// saw records a version of a pod.
func (r *recorder) saw(kind watch.EventType, pod *corev1.Pod) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pods, pod.UID)
	ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	if kind != watch.Deleted && !ended && !isGated(pod) && pod.Labels[v1alpha1.SparkRoleLabel] != "" {
		r.pods[pod.UID] = requestsOf(pod)
	}
	if grace := pod.DeletionGracePeriodSeconds; pod.DeletionTimestamp != nil && grace != nil && pod.Labels[v1alpha1.SparkRoleLabel] != "" {
		r.graces[pod.UID] = max(r.graces[pod.UID], time.Duration(*grace)*time.Second)
	}
	var now usage
	for _, u := range r.pods {
		now = usage{min(now.cpu+u.cpu, most), min(now.memory+u.memory, most)}
	}
	r.peak = usage{max(r.peak.cpu, now.cpu), max(r.peak.memory, now.memory)}
}

func requestsOf(pod *corev1.Pod) usage {
	var u usage
	for i := range pod.Spec.Containers {
		requests := pod.Spec.Containers[i].Resources.Requests
		u.cpu = min(u.cpu+amount(requests[corev1.ResourceCPU], true), most)
		u.memory = min(u.memory+amount(requests[corev1.ResourceMemory], false), most)
	}
	return u
}

// amount returns a quantity, cut if it is larger than an attempt can need.
func amount(q resource.Quantity, milli bool) int64 {
	if q.CmpInt64(most/1000) > 0 {
		return most
	}
	if milli {
		return q.MilliValue()
	}
	return q.Value()
}

// inTime checks that the deletion of pods was requested with a grace period within the operator's limit.
func (r *recorder) inTime() {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.graces) == 0 {
		r.t.Error("no Spark pod was asked to end")
	}
	for uid, grace := range r.graces {
		if grace > cluster.maxTermination {
			r.t.Errorf("pod %s was given %s to end, more than --max-termination (%s)", uid, grace, cluster.maxTermination)
		}
	}
}

func (r *recorder) expectOther() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.other = true
}

// judge checks the invariants after an attempt.
func (r *recorder) judge(a *arena) {
	r.t.Helper()
	r.mu.Lock()
	peak, other := r.peak, r.other
	r.mu.Unlock()
	if r.outside == "" && (peak.cpu > quotaCPU || peak.memory > quotaMemory) {
		r.t.Errorf("Spark pods of the attacker had %dm cpu and %d bytes at once; the queue has %dm and %d", peak.cpu, peak.memory, quotaCPU, quotaMemory)
	}
	apps := &v1alpha1.SparkApplicationList{}
	if err := cluster.client.List(r.t.Context(), apps, client.InNamespace(r.namespace)); err != nil {
		r.t.Fatal(err)
	}
	for i := range apps.Items {
		r.judgeGrant(&apps.Items[i])
	}
	r.judgeQueue(a.namespace)
	if neighbour := r.judgeQueue(a.other); !other && neighbour.Status.Admitted > 0 {
		r.t.Errorf("the neighbour's queue is charged: %+v", neighbour.Status)
	}
}

// judgeQueue checks that no usage of a queue is negative.
func (r *recorder) judgeQueue(name string) *v1alpha1.SparkQueue {
	r.t.Helper()
	queue := &v1alpha1.SparkQueue{}
	if err := cluster.client.Get(r.t.Context(), client.ObjectKey{Name: name}, queue); client.IgnoreNotFound(err) != nil {
		r.t.Fatal(err)
	}
	for _, u := range queue.Status.Usage {
		if u.Used.Sign() < 0 {
			r.t.Errorf("queue %s has a negative usage: %s %s", name, u.Resource, u.Used.String())
		}
	}
	return queue
}

// judgeGrant checks that a grant is positive and within the quota.
func (r *recorder) judgeGrant(app *v1alpha1.SparkApplication) {
	r.t.Helper()
	if app.Status.Grant == nil || r.outside != "" {
		return
	}
	var sum usage
	for _, p := range app.Status.Grant.PodSets {
		cpu, memory := amount(p.Requests[corev1.ResourceCPU], true), amount(p.Requests[corev1.ResourceMemory], false)
		if cpu < 0 || memory < 0 || p.Count < 0 {
			r.t.Errorf("application %s has a grant with a negative amount: %+v", app.Name, app.Status.Grant)
		}
		for range min(p.Count, 10000) {
			sum = usage{min(sum.cpu+cpu, most), min(sum.memory+memory, most)}
		}
	}
	if sum.cpu > quotaCPU || sum.memory > quotaMemory {
		r.t.Errorf("application %s has a grant above the quota: %+v", app.Name, app.Status.Grant)
	}
}
