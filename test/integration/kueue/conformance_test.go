// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/gatetest"
	"github.com/sparkgate/sparkgate/queueing/kueue"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/systems"
)

// bench is a gate at the real Kueue, with one queue.
type bench struct {
	*world
	kueue *systems.System
	stop  func()
}

func TestConformance(t *testing.T) {
	b := &bench{kueue: systems.Kueue(t, env.Cluster(), systems.KueueSettings{}), stop: func() {}}
	b.world = newWorld(t, "100Gi")
	t.Cleanup(func() { b.stop() })
	gatetest.Run(t, gatetest.System{
		Name:  kueue.Name,
		Start: b.start,
		Ask: func(_ *testing.T, application string) queueing.Ask {
			return gatetest.NewAsk(b.Namespace, application, b.Namespace)
		},
		SetQuota:   b.setRoom,
		Impossible: func(_ *testing.T, ask *queueing.Ask) { ask.PodSets[1].Count = 1000 },
		Lose:       func(_ *testing.T, ask *queueing.Ask) { ask.Queue = "nowhere" },
		Evict: func(t *testing.T, _ queueing.Ask) {
			b.policy(t, kueuev1.HoldAndDrain)
		},
		Restart: func(t *testing.T) {
			if err := b.kueue.Stop(); err != nil {
				t.Fatal(err)
			}
			if err := b.kueue.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
		Exists: func(t *testing.T, ask queueing.Ask) bool { return b.find(t, ask) != nil },
		Delete: func(t *testing.T, ask queueing.Ask) {
			if err := b.client.Delete(t.Context(), b.find(t, ask)); err != nil {
				t.Fatal(err)
			}
		},
		Cannot: map[string]string{"Explain": "the verdict says it all"},
		Occupy: b.occupy, Vacate: b.vacate, Occupied: b.occupied,
		Uninstall: func(t *testing.T) {
			if err := b.kueue.Uninstall(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
		Install: func(t *testing.T) {
			if err := b.kueue.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.world.t = t
			b.queues("100Gi")
		},
	})
}

// start replaces the gate, as the start of an operator does.
func (b *bench) start(t *testing.T, past gatetest.Past) queueing.Gate {
	t.Helper()
	b.world.t = t
	b.stop()
	g := kueue.New(kueue.Options{
		Client: b.client, Waker: past.Waker, FieldOwner: v1alpha1.FieldOwner, Interval: 100 * time.Millisecond, Clock: clock.RealClock{}, Log: logr.Discard(),
	})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, w := range g.Watches() {
		running.Go(func() { _ = w.Start(ctx) })
	}
	b.stop = func() {
		cancel()
		running.Wait()
		b.stop = func() {}
	}
	for _, w := range g.Watches() {
		if err := w.WaitUntilKnown(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// setRoom gives the ClusterQueue a quota of so many gangs; one without quota is held, since an ask above all quota does not wait.
func (b *bench) setRoom(t *testing.T, gangs int) {
	t.Helper()
	policy := kueuev1.None
	if gangs == 0 {
		policy, gangs = kueuev1.Hold, 1
	}
	b.world.t = t
	change(b.world, b.clusterQueueOf(), func(q *kueuev1.ClusterQueue) {
		q.Spec.StopPolicy = &policy
		q.Spec.ResourceGroups[0].Flavors[0].Resources[1].NominalQuota = *resource.NewMilliQuantity(int64(gangs)*gatetest.GangCPU, resource.DecimalSI)
	})
}

func (b *bench) policy(t *testing.T, policy kueuev1.StopPolicy) {
	t.Helper()
	b.world.t = t
	change(b.world, b.clusterQueueOf(), func(q *kueuev1.ClusterQueue) { q.Spec.StopPolicy = &policy })
}

func (b *bench) clusterQueueOf() *kueuev1.ClusterQueue {
	return &kueuev1.ClusterQueue{ObjectMeta: metav1.ObjectMeta{Name: b.Namespace}}
}

// find returns the Workload that stands for an ask; nil if there is none.
func (b *bench) find(t *testing.T, ask queueing.Ask) *kueuev1.Workload {
	t.Helper()
	list := &kueuev1.WorkloadList{}
	err := b.client.List(t.Context(), list, client.InNamespace(b.Namespace), client.MatchingLabels{
		"kueue.x-k8s.io/job-uid": ask.Key.UID, v1alpha1.AttemptLabel: "1",
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		if list.Items[i].DeletionTimestamp.IsZero() {
			return &list.Items[i]
		}
	}
	return nil
}

func (b *bench) theirs(ask queueing.Ask) *kueuev1.Workload {
	w := &kueuev1.Workload{ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: ask.Objects.Name}}
	w.Spec.PodSets = []kueuev1.PodSet{{Name: "main", Count: 1, Template: *ask.Objects.Templates[ask.Lead]}}
	return w
}

func (b *bench) occupy(t *testing.T, ask queueing.Ask) {
	t.Helper()
	if err := b.client.Create(t.Context(), b.theirs(ask)); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) vacate(t *testing.T, ask queueing.Ask) {
	t.Helper()
	if err := b.client.Delete(t.Context(), b.theirs(ask)); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) occupied(t *testing.T, ask queueing.Ask) bool {
	t.Helper()
	w := b.theirs(ask)
	err := b.client.Get(t.Context(), client.ObjectKeyFromObject(w), w)
	return err == nil && len(w.OwnerReferences) == 0 && w.DeletionTimestamp.IsZero() && len(w.Spec.PodSets) == 1
}
