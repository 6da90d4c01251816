// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"encoding/json"
	"strconv"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/gate"
	"github.com/sparkgate/sparkgate/queueing/gatetest"
	"github.com/sparkgate/sparkgate/test/integration/env"
)

// world is one queue of the API server, and the gate that decides with it.
type world struct {
	queue  types.NamespacedName
	gate   *gate.Gate
	starts int
	stop   func()
}

func TestEmbedded(t *testing.T) {
	w := &world{queue: types.NamespacedName{Name: "conformance"}, stop: func() {}}
	queue := &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: w.queue.Name}}
	queue.Spec.NamespaceSelector = &metav1.LabelSelector{}
	if err := env.Client().Create(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.stop() })
	gatetest.Run(t, gatetest.System{
		Name:  string(v1alpha1.GateEmbedded),
		Start: w.start,
		Ask: func(_ *testing.T, application string) queueing.Ask {
			return gatetest.NewAsk("default", application, w.queue.Name)
		},
		SetQuota: w.setRoom,
		Impossible: func(_ *testing.T, ask *queueing.Ask) {
			ask.PodSets[1].Count = 1000
		},
		Lose: func(_ *testing.T, ask *queueing.Ask) { ask.Queue = "nowhere" },
		Evict: func(t *testing.T, _ queueing.Ask) {
			w.change(t, func(s *v1alpha1.SparkQueueSpec) { s.StopPolicy = v1alpha1.StopPolicyHoldAndDrain })
		},
		Explain: func(t *testing.T, key queueing.Key) string {
			explanation, known := w.gate.View().Explain(key)
			if !known {
				t.Fatalf("%s is not known", key)
			}
			text, err := json.Marshal(explanation)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		},
		Cannot: alone(nil),
	})
}

// start replaces the gate, as the start of an operator does.
func (w *world) start(t *testing.T, past gatetest.Past) queueing.Gate {
	t.Helper()
	w.stop()
	w.starts++
	w.gate = gate.New(gate.Options{
		Client: env.Client(), Live: env.Client(), Holder: "conformance-" + strconv.Itoa(w.starts),
		Wake:  past.Waker.Wake,
		Clock: clock.RealClock{}, Log: logr.Discard(),
	})
	acquired, err := w.gate.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	alive := map[queueing.Key]bool{}
	var held []gate.Holding
	for key, grant := range past.Held {
		held, alive[key] = append(held, gate.Holding{Key: key, Grant: grant}), true
	}
	for _, key := range past.Waiting {
		alive[key] = true
	}
	w.gate.Open(acquired, held, past.Waiting, func(key queueing.Key) bool { return alive[key] })
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.gate.Start(ctx) }()
	w.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the gate ended: %v", err)
		}
		w.stop = func() {}
	}
	return w.gate
}

// setRoom gives the queue a quota of so many gangs; a queue without quota is held, since an ask above all quota does not wait.
func (w *world) setRoom(t *testing.T, gangs int) {
	t.Helper()
	w.change(t, func(s *v1alpha1.SparkQueueSpec) {
		s.StopPolicy = v1alpha1.StopPolicyNone
		if gangs == 0 {
			s.StopPolicy, gangs = v1alpha1.StopPolicyHold, 1
		}
		s.Flavors = []v1alpha1.FlavorQuota{{Name: v1alpha1.DefaultFlavor, Quotas: []v1alpha1.ResourceQuota{
			{Resource: "cpu", Nominal: *resource.NewMilliQuantity(int64(gangs)*gatetest.GangCPU, resource.DecimalSI)},
		}}}
	})
}

// change changes the spec of the queue, and has the gate reload it, as the controller of queues does.
func (w *world) change(t *testing.T, change func(*v1alpha1.SparkQueueSpec)) {
	t.Helper()
	queue := &v1alpha1.SparkQueue{}
	if err := env.Client().Get(t.Context(), w.queue, queue); err != nil {
		t.Fatal(err)
	}
	before := queue.DeepCopy()
	change(&queue.Spec)
	if err := env.Client().Patch(t.Context(), queue, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	if err := w.gate.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
}
