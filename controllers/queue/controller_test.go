// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	testclock "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// engineDouble is an engine with the queues that its last Reload found.
type engineDouble struct {
	client  client.Client
	reloads int
	specs   map[string]v1alpha1.SparkQueueSpec
	states  map[string]State
	// roots are the queues with a ledger. asked are those whose counts were to be written with it.
	roots map[string]bool
	asked []string
}

func (e *engineDouble) Reload(ctx context.Context) error {
	e.reloads++
	list := &v1alpha1.SparkQueueList{}
	if err := e.client.List(ctx, list); err != nil {
		return err
	}
	e.specs = map[string]v1alpha1.SparkQueueSpec{}
	for i := range list.Items {
		e.specs[list.Items[i].Name] = list.Items[i].Spec
	}
	return nil
}

func (e *engineDouble) State(name string) (State, bool) {
	_, known := e.specs[name]
	return e.states[name], known
}

func (e *engineDouble) Names() []string {
	names := make([]string, 0, len(e.specs))
	for name := range e.specs {
		names = append(names, name)
	}
	return names
}

func (e *engineDouble) WriteCounts(name string) bool {
	if e.roots[name] {
		e.asked = append(e.asked, name)
	}
	return e.roots[name]
}

// bench returns a reconciler for the given queues.
func bench(t *testing.T, queues ...client.Object) (*Reconciler, *engineDouble, *testclock.FakePassiveClock) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(queues...).WithStatusSubresource(&v1alpha1.SparkQueue{}).Build()
	clock := testclock.NewFakePassiveClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	e := &engineDouble{client: c, states: map[string]State{}}
	return New(Options{Client: c, Engine: e, Clock: clock, Interval: 2 * time.Second, Ready: func(context.Context) error { return nil }}), e, clock
}

func queueNamed(name string, generation int64) *v1alpha1.SparkQueue {
	return &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Generation: generation}}
}

func read(t *testing.T, r *Reconciler, name string) *v1alpha1.SparkQueue {
	t.Helper()
	queue := &v1alpha1.SparkQueue{}
	if err := r.Client.Get(t.Context(), types.NamespacedName{Name: name}, queue); err != nil {
		t.Fatal(err)
	}
	return queue
}

func pass(t *testing.T, r *Reconciler, req ctrl.Request) ctrl.Result {
	t.Helper()
	result, err := r.Reconcile(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func requestFor(name string) ctrl.Request {
	return ctrl.Request{NamespacedName: types.NamespacedName{Name: name}}
}

// TestStatusWaitsForTheEngine: the first reconciliation after a change of the spec, of the queue itself or of all
// queues, loads the spec into the engine before it publishes.
func TestStatusWaitsForTheEngine(t *testing.T) {
	t.Parallel()
	for name, req := range map[string]ctrl.Request{"the queue": requestFor("a"), "all queues": everything} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, e, _ := bench(t, queueNamed("a", 1))
			pass(t, r, requestFor("a"))
			changed := read(t, r, "a")
			changed.Spec.Parent, changed.Generation = "root", 2
			if err := r.Client.Update(t.Context(), changed); err != nil {
				t.Fatal(err)
			}
			pass(t, r, req)
			if got := read(t, r, "a").Status.ObservedGeneration; got != 2 || e.specs["a"].Parent != "root" {
				t.Errorf("observed generation %d with the engine's spec %+v", got, e.specs["a"])
			}
		})
	}
}

func TestReloadsOnlyForSpecs(t *testing.T) {
	t.Parallel()
	r, e, clock := bench(t, queueNamed("a", 1), queueNamed("b", 1))
	pass(t, r, requestFor("a"))
	pass(t, r, requestFor("b"))
	e.states["a"] = State{Pending: 1}
	clock.SetTime(clock.Now().Add(time.Minute))
	pass(t, r, everything)
	pass(t, r, requestFor("a"))
	if e.reloads != 1 {
		t.Errorf("%d reloads, want 1 for all queues together", e.reloads)
	}
	if err := r.Client.Delete(t.Context(), queueNamed("b", 1)); err != nil {
		t.Fatal(err)
	}
	pass(t, r, requestFor("b"))
	if _, known := e.specs["b"]; known || e.reloads != 2 {
		t.Errorf("after %d reloads the engine knows the deleted queue: %t", e.reloads, known)
	}
	again := queueNamed("a", 1) // of the same generation, but another
	again.UID, again.ResourceVersion = "another", ""
	if err := r.Client.Delete(t.Context(), queueNamed("a", 1)); err != nil {
		t.Fatal(err)
	}
	if err := r.Client.Create(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	pass(t, r, requestFor("a"))
	if e.reloads != 3 {
		t.Errorf("%d reloads, want one for the queue that was made again", e.reloads)
	}
}

// TestRate: conditions are written at once, counts after the interval, and the order of waiting applications after a
// multiple of it.
func TestRate(t *testing.T) {
	t.Parallel()
	r, e, clock := bench(t, queueNamed("a", 1))
	pass(t, r, requestFor("a"))
	wait := func() time.Duration { return pass(t, r, requestFor("a")).RequeueAfter }

	e.states["a"] = State{Pending: 1}
	if got := wait(); got != 2*time.Second || read(t, r, "a").Status.Pending != 0 {
		t.Errorf("counts are written after %s, want the interval", got)
	}
	clock.SetTime(clock.Now().Add(2 * time.Second))
	if got := wait(); got != 0 || read(t, r, "a").Status.Pending != 1 {
		t.Errorf("counts are not written after the interval: %s", got)
	}
	e.states["a"] = State{Pending: 1, Heads: []v1alpha1.QueueHead{{Position: 1, Name: "pi"}}}
	if got := wait(); got != 4*time.Second {
		t.Errorf("heads alone are written after %s, want two intervals", got)
	}
	e.states["a"] = State{Problem: v1alpha1.CycleReason, Message: "a → a"}
	if got := wait(); got != 0 {
		t.Errorf("a condition is written after %s, want at once", got)
	}
	ready := apimeta.FindStatusCondition(read(t, r, "a").Status.Conditions, v1alpha1.ReadyCondition)
	if ready == nil || ready.Reason != v1alpha1.CycleReason || ready.Message != "a → a" {
		t.Errorf("Ready: %+v", ready)
	}
}

// TestOthersStatusSurvives: the ledger in the same status is kept, because another component owns it.
func TestOthersStatusSurvives(t *testing.T) {
	t.Parallel()
	queue := queueNamed("a", 1)
	queue.Status.Ledger = &v1alpha1.Ledger{Holder: "somebody", Epoch: 7, Seq: 9}
	queue.Annotations = map[string]string{"reconcile.fluxcd.io/requestedAt": "now"}
	r, e, _ := bench(t, queue)
	memory := resource.MustParse("3Gi")
	e.states["a"] = State{Pending: 2, Admitted: 1, Usage: []v1alpha1.QueueUsage{{Flavor: "default", Resource: "memory", Used: resource.MustParse("1Gi"), Nominal: &memory}}}
	pass(t, r, requestFor("a"))
	got := read(t, r, "a").Status
	if diff := cmp.Diff(queue.Status.Ledger, got.Ledger); diff != "" {
		t.Errorf("ledger (-want +got):\n%s", diff)
	}
	if got.LastHandledReconcileAt != "now" || got.Pending != 2 || got.Admitted != 1 || got.Summary["memory"] != "1Gi/3Gi" {
		t.Errorf("status: %+v", got)
	}
}

// TestManyChangesCostFewWrites: a queue that changes all the time is written once an interval, and the last change is
// also written.
func TestManyChangesCostFewWrites(t *testing.T) {
	t.Parallel()
	r, e, clock := bench(t, queueNamed("a", 1))
	writes := 0
	r.Client = interceptor.NewClient(r.Client.(client.WithWatch), interceptor.Funcs{
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, obj client.Object, patch client.Patch, o ...client.SubResourcePatchOption) error {
			writes++
			return c.SubResource(sub).Patch(ctx, obj, patch, o...)
		},
	})
	pass(t, r, requestFor("a"))
	const changes, pause = 5000, 120 * time.Millisecond // 10 minutes
	begin, due := clock.Now(), time.Time{}
	for i := range int32(changes) {
		share := float64(i) / changes
		e.states["a"] = State{
			Pending: changes - i, Admitted: i, Share: &share, Usage: []v1alpha1.QueueUsage{{Flavor: "default", Resource: "pods", Used: *resource.NewQuantity(int64(i), resource.DecimalSI)}},
			Heads: []v1alpha1.QueueHead{{Position: 1, Name: fmt.Sprint(i)}},
		}
		clock.SetTime(clock.Now().Add(pause))
		due = clock.Now().Add(pass(t, r, requestFor("a")).RequeueAfter)
	}
	clock.SetTime(due)
	pass(t, r, requestFor("a"))
	if most := 2 + int(clock.Now().Sub(begin)/r.Interval); writes > most {
		t.Errorf("%d writes, want %d at most", writes, most)
	}
	if got := read(t, r, "a").Status; got.Admitted != changes-1 || got.Share != "1" {
		t.Errorf("the last change is not written: %+v", got)
	}
	writes = 0
	for range 1000 {
		clock.SetTime(clock.Now().Add(time.Minute))
		pass(t, r, requestFor("a"))
	}
	if writes > 0 {
		t.Errorf("%d writes although nothing changes", writes)
	}
}

// TestOneThatIsRefused: a queue whose status the API server refuses does not keep others from being published.
func TestOneThatIsRefused(t *testing.T) {
	t.Parallel()
	r, _, _ := bench(t, queueNamed("a", 1), queueNamed("b", 1), queueNamed("c", 1))
	r.Client = interceptor.NewClient(r.Client.(client.WithWatch), interceptor.Funcs{
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, obj client.Object, patch client.Patch, o ...client.SubResourcePatchOption) error {
			if obj.GetName() == "b" {
				return apierrors.NewInvalid(v1alpha1.GroupVersion.WithKind("SparkQueue").GroupKind(), "b", nil)
			}
			return c.SubResource(sub).Patch(ctx, obj, patch, o...)
		},
	})
	pass(t, r, flavors)
	for range 8 { // the engine names them in any order
		if _, err := r.Reconcile(t.Context(), everything); err == nil {
			t.Error("what is refused is not tried again")
		}
		for _, name := range []string{"a", "c"} {
			queue := read(t, r, name)
			if queue.Status.ObservedGeneration != 1 {
				t.Fatalf("queue %s is not published", name)
			}
			if queue.Status = (v1alpha1.SparkQueueStatus{}); r.Client.Status().Update(t.Context(), queue) != nil {
				t.Fatal("the status cannot be reset")
			}
		}
	}
}

// TestAnAPIServerInTrouble: no further queue is published once the API server could not process a request, because each
// one may take a minute.
func TestAnAPIServerInTrouble(t *testing.T) {
	t.Parallel()
	for _, answer := range []error{errors.New("no answer"), apierrors.NewTimeoutError("etcd", 1), apierrors.NewTooManyRequests("busy", 1)} {
		r, _, _ := bench(t, queueNamed("a", 1), queueNamed("b", 1), queueNamed("c", 1))
		pass(t, r, flavors)
		writes := 0
		r.Client = interceptor.NewClient(r.Client.(client.WithWatch), interceptor.Funcs{
			SubResourcePatch: func(context.Context, client.Client, string, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
				writes++
				return answer
			},
		})
		if _, err := r.Reconcile(t.Context(), everything); err == nil || writes != 1 {
			t.Errorf("%v: %d writes, %v", answer, writes, err)
		}
	}
}

func TestShareText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		share *float64
		want  string
	}{
		"root":          {nil, ""},
		"nothing":       {ptr.To(0.0), "0"},
		"a quarter":     {ptr.To(0.25), "0.25"},
		"a third":       {ptr.To(1.0 / 3), "0.33"},
		"all":           {ptr.To(1.0), "1"},
		"more than all": {ptr.To(123.4), "120"},
		"very little":   {ptr.To(1.0 / 3 / 1_000_000), "0.00000033"},
		"of nothing":    {ptr.To(math.Inf(1)), "Infinity"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := shareText(tc.share); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// TestConditionsAreLogged: a changed condition of a queue is logged, and changed numbers are not.
func TestConditionsAreLogged(t *testing.T) {
	t.Parallel()
	r, e, clock := bench(t, queueNamed("team", 1))
	var lines []string
	r.Log = funcr.New(func(_, line string) { lines = append(lines, line) }, funcr.Options{})
	for i, state := range []State{{}, {Pending: 1}, {Pending: 2}, {Problem: v1alpha1.ParentNotFoundReason, Message: "password=hunter2"}} {
		e.states["team"] = state
		clock.SetTime(clock.Now().Add(time.Duration(i) * time.Minute))
		if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: types.NamespacedName{Name: "team"}}); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		`"level"=0 "msg"="Condition changed" "SparkQueue"={"name"="team"} "type"="Ready" "status"="True" "reason"="Active"`,
		`"level"=0 "msg"="Condition changed" "SparkQueue"={"name"="team"} "type"="Reconciling" "status"="True" "reason"="ProgressingWithRetry"`,
		`"level"=0 "msg"="Condition changed" "SparkQueue"={"name"="team"} "type"="Ready" "status"="False" "reason"="ParentNotFound"`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}
