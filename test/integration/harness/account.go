// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Account integrates, independently of the operator, what the applications of a namespace hold and what their pods
// request. It uses the objects in the API server and a clock, and shares no code with the operator. It is safe for
// concurrent use.
type Account struct {
	clock clock.Clock
	mu    sync.Mutex
	ledger
}

// ledger has the amounts that were held, by grant and pod.
type ledger map[types.UID]*held

// held are the amounts of one grant or one pod.
type held struct {
	application string
	grant       bool
	rate, sum   Seconds
	since       time.Time
}

// Seconds are cores and GiB, either multiplied by seconds or as they are.
type Seconds struct{ Cores, GiB float64 }

func (s Seconds) plus(o Seconds, factor float64) Seconds {
	return Seconds{s.Cores + o.Cores*factor, s.GiB + o.GiB*factor}
}

// StartAccount starts to account for a namespace that is still empty, until the test ends.
func StartAccount(t *testing.T, namespace string, by clock.Clock) *Account {
	t.Helper()
	a := &Account{clock: by, ledger: ledger{}}
	var running sync.WaitGroup
	for _, list := range []client.ObjectList{&v1alpha1.SparkApplicationList{}, &corev1.PodList{}} {
		stream := endless(t, list, namespace)
		running.Go(func() { a.follow(stream) })
		t.Cleanup(stream.Stop)
	}
	return a
}

func (a *Account) follow(stream watch.Interface) {
	for e := range stream.ResultChan() {
		gone := e.Type == watch.Deleted
		switch obj := e.Object.(type) {
		case *v1alpha1.SparkApplication:
			a.saw(obj.UID, heldByGrant(obj, gone))
		case *corev1.Pod:
			a.saw(obj.UID, heldByPod(obj, gone))
		}
	}
}

// heldByGrant returns the amounts that an application holds from now on.
func heldByGrant(app *v1alpha1.SparkApplication, gone bool) held {
	h := held{application: app.Name, grant: true}
	if app.Status.Grant != nil && !gone {
		for _, set := range app.Status.Grant.PodSets {
			h.rate = h.rate.plus(requested(set.Requests), float64(set.Count))
		}
	}
	return h
}

// heldByPod returns the amounts that a pod requests of its node from now on.
func heldByPod(pod *corev1.Pod, gone bool) held {
	h := held{application: pod.Labels[v1alpha1.ApplicationLabel]}
	ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	if pod.Spec.NodeName != "" && !ended && !gone {
		for i := range pod.Spec.Containers {
			h.rate = h.rate.plus(requested(pod.Spec.Containers[i].Resources.Requests), 1)
		}
	}
	return h
}

func requested(list corev1.ResourceList) Seconds {
	return Seconds{list.Cpu().AsApproximateFloat64(), list.Memory().AsApproximateFloat64() / (1 << 30)}
}

// saw records the amounts that an object holds from now on.
func (a *Account) saw(uid types.UID, next held) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.enter(uid, next, a.clock.Now())
}

// Of returns the amounts that an application's grants have held and its pods have requested until now, and those that
// they hold and request at the moment. An empty name means all applications.
func (a *Account) Of(application string) (granted, requested, holds, requests Seconds) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.of(application, a.clock.Now())
}

// enter records the amounts that an object holds from a time on.
func (l ledger) enter(uid types.UID, next held, at time.Time) {
	next.since = at
	if before := l[uid]; before != nil {
		next.sum = before.sum.plus(before.rate, at.Sub(before.since).Seconds())
	}
	l[uid] = &next
}

func (l ledger) of(application string, until time.Time) (granted, requested, holds, requests Seconds) {
	for _, h := range l {
		if application != "" && h.application != application {
			continue
		}
		sum, rate := &requested, &requests
		if h.grant {
			sum, rate = &granted, &holds
		}
		*sum = sum.plus(h.sum, 1).plus(h.rate, until.Sub(h.since).Seconds())
		*rate = rate.plus(h.rate, 1)
	}
	return granted, requested, holds, requests
}
