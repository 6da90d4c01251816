// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package volcano

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/gatetest"
	gate "github.com/sparkgate/sparkgate/queueing/volcano"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/systems"
)

// most is how many gangs the queue of the conformance suite holds.
const most = 2

// world is a queue of Volcano, and the gate that asks it.
type world struct {
	client    client.WithWatch
	volcano   *systems.System
	namespace string
	queue     string
	occupied  map[string]types.UID
	stop      func()
}

func TestConformance(t *testing.T) {
	w := &world{client: volcanoClient(t), namespace: env.Namespace(t), occupied: map[string]types.UID{}, stop: func() {}}
	w.queue = w.namespace
	w.volcano = start(t, "16")
	w.open(t)
	t.Cleanup(func() { w.stop() })
	gatetest.Run(t, gatetest.System{
		Name:  gate.Name,
		Start: w.start,
		Ask: func(_ *testing.T, application string) queueing.Ask {
			return gatetest.NewAsk(w.namespace, application, w.queue)
		},
		SetQuota:   w.setRoom,
		Impossible: func(_ *testing.T, ask *queueing.Ask) { ask.PodSets[1].Count = 1000 },
		Lose:       func(_ *testing.T, ask *queueing.Ask) { ask.Queue = "nowhere" },
		Restart:    w.restart,
		Exists:     func(t *testing.T, ask queueing.Ask) bool { return w.group(t, ask) != nil },
		Delete:     w.delete,
		Occupy:     w.occupy,
		Vacate:     w.delete,
		Occupied: func(t *testing.T, ask queueing.Ask) bool {
			group := w.group(t, ask)
			return group != nil && group.UID == w.occupied[group.Name] && group.OwnerReferences == nil
		},
		Uninstall: func(t *testing.T) {
			if err := w.volcano.Uninstall(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
		Install: func(t *testing.T) {
			if err := w.volcano.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.open(t)
		},
		Cannot: map[string]string{"Evict": "Volcano takes room back by deleting pods, not groups", "Explain": "the verdict says it all"},
	})
}

// start replaces the gate, as the start of an operator does.
func (w *world) start(t *testing.T, past gatetest.Past) queueing.Gate {
	t.Helper()
	w.stop()
	g := gate.New(gate.Options{Client: w.client, Waker: past.Waker, Interval: 200 * time.Millisecond, Log: logr.Discard()})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, watch := range g.Watches() {
		running.Go(func() { _ = watch.Start(ctx) })
	}
	w.stop = func() {
		cancel()
		running.Wait()
		w.stop = func() {}
	}
	for _, watch := range g.Watches() {
		if err := watch.WaitUntilKnown(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func (w *world) open(t *testing.T) {
	t.Helper()
	openQueue(t, w.client, w.queue, fmt.Sprintf("%dm", most*gatetest.GangCPU))
}

// setRoom sets the free quota by groups of another client that hold the rest of the queue.
func (w *world) setRoom(t *testing.T, gangs int) {
	t.Helper()
	for n := range most {
		filler := &v1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: fmt.Sprintf("filler-%d", n)}}
		if n < gangs {
			if err := client.IgnoreNotFound(w.client.Delete(t.Context(), filler)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		filler.Spec = v1beta1.PodGroupSpec{MinMember: 1, Queue: w.queue, MinResources: &corev1.ResourceList{
			corev1.ResourceCPU: *resource.NewMilliQuantity(gatetest.GangCPU, resource.DecimalSI),
		}}
		if err := w.client.Create(t.Context(), filler); client.IgnoreAlreadyExists(err) != nil {
			t.Fatal(err)
		}
		env.UntilWithin(t, patience, filler.Name+" holds quota", func() (bool, error) {
			err := w.client.Get(t.Context(), client.ObjectKeyFromObject(filler), filler)
			return filler.Status.Phase == v1beta1.PodGroupInqueue, err
		})
	}
}

func (w *world) restart(t *testing.T) {
	t.Helper()
	if err := w.volcano.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := w.volcano.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// group returns the PodGroup of an ask; nil if there is none.
func (w *world) group(t *testing.T, ask queueing.Ask) *v1beta1.PodGroup {
	t.Helper()
	group := &v1beta1.PodGroup{}
	err := w.client.Get(t.Context(), types.NamespacedName{Namespace: ask.Key.Namespace, Name: ask.Objects.Name}, group)
	if client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
	if err != nil {
		return nil
	}
	return group
}

func (w *world) delete(t *testing.T, ask queueing.Ask) {
	t.Helper()
	if err := w.client.Delete(t.Context(), w.group(t, ask)); err != nil {
		t.Fatal(err)
	}
}

func (w *world) occupy(t *testing.T, ask queueing.Ask) {
	t.Helper()
	group := &v1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: ask.Key.Namespace, Name: ask.Objects.Name}, Spec: v1beta1.PodGroupSpec{MinMember: 1, Queue: "nowhere"}}
	if err := w.client.Create(t.Context(), group); err != nil {
		t.Fatal(err)
	}
	w.occupied[group.Name] = group.UID
}
