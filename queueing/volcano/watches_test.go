// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package volcano

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/sparkgate/sparkgate/queueing"
)

// lists is a client whose watches do not begin with a list, because the fake cluster does not support that.
type lists struct{ client.WithWatch }

func (lists) IsWatchListSemanticsUnSupported() bool { return true }

// woken receives the applications whose verdicts are to be read again.
type woken chan queueing.Key

func (w woken) Wake(key queueing.Key) { w <- key }

func (woken) WakeAfter(queueing.Key, time.Duration) {}

// gateOver returns a gate whose watches show the objects of a cluster without Volcano's controllers.
func gateOver(t *testing.T, waker queueing.Waker, objects ...client.Object) (*Gate, client.Client) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c := lists{fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()}
	g := New(Options{Client: c, Waker: waker, Log: logr.Discard()})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for _, watch := range g.Watches() {
		running.Go(func() { _ = watch.Start(ctx) })
		if err := watch.WaitUntilKnown(ctx); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { cancel(); running.Wait() })
	return g, c
}

// goingKinds is a cluster in which Volcano's CRDs are being deleted, so that the API server creates no objects of them.
type goingKinds struct{ client.WithWatch }

func (goingKinds) Create(context.Context, client.Object, ...client.CreateOption) error {
	return apierrors.NewMethodNotSupported(schema.GroupResource{Group: v1beta1.GroupName, Resource: "podgroups"}, "create")
}

// TestKindsThatAreGoing: while Volcano's CRDs are being deleted, applications wait for them, and running ones continue.
func TestKindsThatAreGoing(t *testing.T) {
	t.Parallel()
	open := &v1beta1.Queue{ObjectMeta: metav1.ObjectMeta{Name: "team-a"}, Status: v1beta1.QueueStatus{State: v1beta1.QueueStateOpen}}
	g, c := gateOver(t, make(woken, 64), open)
	g.o.Client = goingKinds{c.(client.WithWatch)}
	if v, err := g.Sync(t.Context(), anAsk()); err != nil || v.Reason != queueing.ReasonGateNotInstalled {
		t.Errorf("%s %q, %v", v.Reason, v.Message, err)
	}
	if restored, err := g.EnsureReservation(t.Context(), anAsk()); err != nil || restored != "" {
		t.Errorf("restored %q, %v", restored, err)
	}
}

// silentWebhook is a cluster in which Volcano's webhook does not answer.
type silentWebhook struct{ client.WithWatch }

func (silentWebhook) Create(context.Context, client.Object, ...client.CreateOption) error {
	return apierrors.NewInternalError(errors.New(`failed calling webhook "validatepodgroup.volcano.sh"`))
}

// TestWebhookDoesNotAnswer: the verdict of an application that asks in the meantime says why it waits.
func TestWebhookDoesNotAnswer(t *testing.T) {
	t.Parallel()
	open := &v1beta1.Queue{ObjectMeta: metav1.ObjectMeta{Name: "team-a"}, Status: v1beta1.QueueStatus{State: v1beta1.QueueStateOpen}}
	g, c := gateOver(t, make(woken, 64), open)
	g.o.Client = silentWebhook{c.(client.WithWatch)}
	v, err := g.Sync(t.Context(), anAsk())
	if err != nil || v.Reason != queueing.ReasonWaitingForGate || !strings.Contains(v.Message, "validatepodgroup.volcano.sh") {
		t.Errorf("%s %q, %v", v.Reason, v.Message, err)
	}
}

// TestQueuesMove: applications in a queue are woken when the first child is moved below it, and when the last child is
// moved away.
func TestQueuesMove(t *testing.T) {
	t.Parallel()
	queue := func(name, parent string) *v1beta1.Queue {
		return &v1beta1.Queue{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1beta1.QueueSpec{Parent: parent}}
	}
	wakes, child := make(woken, 64), queue("child", "a") // before the operator began
	g, c := gateOver(t, wakes, queue("a", ""), queue("b", ""), child)
	inA, inB := queueing.Key{Name: "in-a", UID: "1"}, queueing.Key{Name: "in-b", UID: "2"}
	g.tracker.track(inA, "a")
	g.tracker.track(inB, "b")
	for _, step := range []struct {
		parent string
		woken  []string
	}{{"b", []string{"in-a", "in-b"}}, {"a", []string{"in-a", "in-b"}}, {"", []string{"in-a"}}, {"b", []string{"in-b"}}} {
		child.Spec.Parent = step.parent
		if err := c.Update(t.Context(), child); err != nil {
			t.Fatal(err)
		}
		missing := map[string]bool{}
		for _, name := range step.woken {
			missing[name] = true
		}
		for timeout := time.After(10 * time.Second); len(missing) > 0; {
			select {
			case key := <-wakes:
				delete(missing, key.Name)
			case <-timeout:
				t.Fatalf("moved below %q: %v not woken", step.parent, missing)
			}
		}
	}
}
