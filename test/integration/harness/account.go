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

// Account integrates on its own what the applications of a namespace hold and what their pods request, from what the API server shows of
// them, by a clock. It shares no code with the operator. Safe for concurrent use.
type Account struct {
	clock clock.Clock
	mu    sync.Mutex
	held  map[types.UID]*held
}

// held is one grant, or one pod.
type held struct {
	application string
	grant       bool
	rate, sum   Seconds
	since       time.Time
}

// Seconds are cores and GiB; multiplied by seconds, or as they are.
type Seconds struct{ Cores, GiB float64 }

func (s Seconds) plus(o Seconds, factor float64) Seconds {
	return Seconds{s.Cores + o.Cores*factor, s.GiB + o.GiB*factor}
}

// StartAccount accounts for a namespace that is still empty, until the test ends.
func StartAccount(t *testing.T, namespace string, by clock.Clock) *Account {
	t.Helper()
	a := &Account{clock: by, held: map[types.UID]*held{}}
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
			var rate Seconds
			if obj.Status.Grant != nil && !gone {
				for _, set := range obj.Status.Grant.PodSets {
					rate = rate.plus(requested(set.Requests), float64(set.Count))
				}
			}
			a.saw(obj.UID, held{application: obj.Name, grant: true, rate: rate})
		case *corev1.Pod:
			var rate Seconds
			ended := obj.Status.Phase == corev1.PodSucceeded || obj.Status.Phase == corev1.PodFailed
			if obj.Spec.NodeName != "" && !ended && !gone {
				for i := range obj.Spec.Containers {
					rate = rate.plus(requested(obj.Spec.Containers[i].Resources.Requests), 1)
				}
			}
			a.saw(obj.UID, held{application: obj.Labels[v1alpha1.ApplicationLabel], rate: rate})
		}
	}
}

func requested(list corev1.ResourceList) Seconds {
	return Seconds{list.Cpu().AsApproximateFloat64(), list.Memory().AsApproximateFloat64() / (1 << 30)}
}

// saw takes what something holds from now on.
func (a *Account) saw(uid types.UID, next held) {
	a.mu.Lock()
	defer a.mu.Unlock()
	next.since = a.clock.Now()
	if before := a.held[uid]; before != nil {
		next.sum = before.sum.plus(before.rate, next.since.Sub(before.since).Seconds())
	}
	a.held[uid] = &next
}

// Of returns what an application's grants have held, and what its pods have requested, until now; all applications under an empty name.
// With them comes what is held and requested now.
func (a *Account) Of(application string) (granted, requested, holds, requests Seconds) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.clock.Now()
	for _, h := range a.held {
		if application != "" && h.application != application {
			continue
		}
		sum, rate := &requested, &requests
		if h.grant {
			sum, rate = &granted, &holds
		}
		*sum = sum.plus(h.sum, 1).plus(h.rate, now.Sub(h.since).Seconds())
		*rate = rate.plus(h.rate, 1)
	}
	return granted, requested, holds, requests
}
