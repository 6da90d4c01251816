// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

func inQueue(name string) func(*queueing.Ask) {
	return func(a *queueing.Ask) { a.Queue = name }
}

func atLeast(executors int32) func(*queueing.Ask) {
	return func(a *queueing.Ask) { a.PodSets[1].MinCount = executors }
}

func withInputs(hash string) func(*queueing.Ask) {
	return func(a *queueing.Ask) { a.Inputs = hash }
}

// lists is a client whose watches do not begin with a list, because the fake cluster does not support that.
type lists struct{ client.WithWatch }

func (lists) IsWatchListSemanticsUnSupported() bool { return true }

// gateOver returns a gate whose watches show the Workloads of a cluster without Kueue's controllers.
func gateOver(t *testing.T, workloads ...client.Object) (*Gate, client.Client) {
	t.Helper()
	return gateIn(t, func(c client.WithWatch) client.WithWatch { return lists{c} }, workloads...)
}

// gateIn is gateOver with a modified cluster.
func gateIn(t *testing.T, differs func(client.WithWatch) client.WithWatch, workloads ...client.Object) (*Gate, client.Client) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := kueuev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c := differs(fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&kueuev1.Workload{}).WithObjects(workloads...).Build())
	g := New(Options{Client: c, Waker: &wakes{}, FieldOwner: "sparkgate", Clock: clock.RealClock{}, Log: logr.Discard()})
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

// withoutQueues is a cluster that does not serve LocalQueues.
type withoutQueues struct{ lists }

func (c withoutQueues) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if _, queues := list.(*kueuev1.LocalQueueList); queues {
		return &apimeta.NoKindMatchError{GroupKind: kueuev1.SchemeGroupVersion.WithKind("LocalQueue").GroupKind()}
	}
	return c.lists.List(ctx, list, opts...)
}

// refuses is a cluster that refuses changes of Workloads.
type refuses struct {
	lists
	err error
}

func (c refuses) Patch(context.Context, client.Object, client.Patch, ...client.PatchOption) error {
	return c.err
}

// TestChangeIsRefused: an application whose Workload cannot be changed to its current ask reports that and tries again.
func TestChangeIsRefused(t *testing.T) {
	t.Parallel()
	workloads := schema.GroupResource{Group: "kueue.x-k8s.io", Resource: "workloads"}
	for name, err := range map[string]error{
		"its webhook does not answer": apierrors.NewInternalError(errors.New(`failed calling webhook "vworkload.kb.io"`)),
		"its schema forbids it":       apierrors.NewInvalid(schema.GroupKind{Group: "kueue.x-k8s.io", Kind: "Workload"}, "pi", nil),
		"a policy forbids it":         apierrors.NewForbidden(workloads, "pi", errors.New("no")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, _ := gateIn(t, func(c client.WithWatch) client.WithWatch { return refuses{lists{c}, err} }, made())
			v, failed := g.Sync(t.Context(), ask(inQueue("team-b")))
			if failed != nil || v.State != queueing.Waiting || v.Reason != queueing.ReasonWaitingForGate || !strings.Contains(v.Message, err.Error()) {
				t.Errorf("%s/%s %q, %v", v.State, v.Reason, v.Message, failed)
			}
		})
	}
}

// TestNotAllKindsAreServed: an application waits until Kueue is installed completely, and its status does not claim
// that queues do not exist. It may still release its ask.
func TestNotAllKindsAreServed(t *testing.T) {
	t.Parallel()
	g, _ := gateIn(t, func(c client.WithWatch) client.WithWatch { return withoutQueues{lists{c}} }, made())
	other := ask(func(a *queueing.Ask) { a.Key.Name, a.Key.UID = "other", "u-2" })
	if v, err := g.Sync(t.Context(), other); err != nil || v.Reason != queueing.ReasonGateNotInstalled || !strings.Contains(v.Message, "LocalQueue") {
		t.Errorf("%s %q, %v", v.Reason, v.Message, err)
	}
	keys := func() []queueing.Key { return g.KeysFor(v1alpha1.SparkApplicationKind, "default", "other") }
	if known := keys(); !slices.Equal(known, []queueing.Key{other.Key}) || len(g.askers.asking) != 1 {
		t.Errorf("%v ask", known)
	}
	if err := g.Release(t.Context(), other.Key, queueing.Release{Reason: queueing.Abandoned}); err != nil {
		t.Fatal(err)
	}
	if known := keys(); len(known) > 0 || len(g.askers.asking) > 0 {
		t.Errorf("%v ask after the last one has left", known)
	}
}

// until calls Sync until the Workload is as wanted.
func until(t *testing.T, g *Gate, c client.Client, a queueing.Ask, wanted func(*kueuev1.Workload) bool) {
	t.Helper()
	w := &kueuev1.Workload{}
	err := wait.PollUntilContextTimeout(t.Context(), time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		if _, err := g.Sync(ctx, a); err != nil {
			return false, err
		}
		err := c.Get(ctx, client.ObjectKey{Namespace: "default", Name: "pi-abcde-3-2"}, w)
		return err == nil && wanted(w), client.IgnoreNotFound(err)
	})
	if err != nil {
		t.Fatalf("the Workload is %+v: %v", w, err)
	}
}

// TestForgedOwnerOfAnotherNamespace: users write the owner references of their Workloads and may use the UID of an
// application in another namespace. Such a Workload neither asks for that application nor is deleted with it.
func TestForgedOwnerOfAnotherNamespace(t *testing.T) {
	t.Parallel()
	forged := made(hasQuota)
	forged.Namespace = "other"
	g, c := gateOver(t, forged)
	until(t, g, c, ask(), func(*kueuev1.Workload) bool { return true })
	if err := g.Release(t.Context(), ask().Key, queueing.Release{Reason: queueing.Deleted}); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(forged), &kueuev1.Workload{}); err != nil {
		t.Errorf("the Workload of the other namespace: %v", err)
	}
}

// TestAskChangesWithQuota: quota of another queue, or for fewer pods than the application can start with, does not
// satisfy the ask. While admission checks are pending nothing has been granted, so another Workload replaces it, also
// if only the rendered pods differ. Otherwise the quota is returned first.
func TestAskChangesWithQuota(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		w     change
		ask   queueing.Ask
		state queueing.State
		// stays is set if the Workload keeps its quota.
		stays bool
	}{
		"the same, checks pending":                 {hasQuota, ask(atLeast(1)), queueing.Waiting, true},
		"the same, admitted":                       {isAdmitted, ask(atLeast(1)), queueing.Waiting, true}, // its flavors are not known here
		"another queue, checks pending":            {hasQuota, ask(atLeast(1), inQueue("team-b")), queueing.Undecided, false},
		"another queue, admitted":                  {isAdmitted, ask(atLeast(1), inQueue("team-b")), queueing.Evicting, false},
		"as many executors needed, checks pending": {hasQuota, ask(atLeast(3)), queueing.Waiting, true},
		"more executors needed, checks pending":    {hasQuota, ask(atLeast(4)), queueing.Undecided, false},
		"more executors needed, admitted":          {isAdmitted, ask(atLeast(4)), queueing.Evicting, false},
		"another queue, deactivated":               {func(w *kueuev1.Workload) { hasQuota(w); isInactive(w) }, ask(atLeast(1), inQueue("team-b")), queueing.Refused, true},
		"all executors needed, checks pending":     {hasQuota, ask(), queueing.Undecided, false},
		"other inputs, checks pending":             {hasQuota, ask(atLeast(1), withInputs("v1:b")), queueing.Undecided, false},
		"about to be held":                         {func(w *kueuev1.Workload) { isAdmitted(w); isHeld(w) }, ask(atLeast(1)), queueing.Evicting, false},
		"other inputs, admitted":                   {isAdmitted, ask(atLeast(1), withInputs("v1:b")), queueing.Waiting, true}, // its grant goes back
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := workloadOf(ask(atLeast(1)), nil)
			w.UID = "w-1"
			tt.w(w)
			g, c := gateOver(t, w)
			v, err := g.Sync(t.Context(), tt.ask)
			if err != nil || v.State != tt.state {
				t.Fatalf("%s %s, %v; want %s", v.State, v.Message, err, tt.state)
			}
			if tt.stays {
				return
			}
			if v.State == queueing.Evicting {
				if v.Grant.Queue != "team-a" {
					t.Errorf("what goes back is of queue %s", v.Grant.Queue)
				}
				if err := g.Release(t.Context(), tt.ask.Key, queueing.Release{Reason: queueing.Requeued}); err != nil {
					t.Fatal(err)
				}
			}
			until(t, g, c, tt.ask, func(w *kueuev1.Workload) bool {
				asks := workloadOf(tt.ask, nil)
				return !reserved(w) && w.Spec.QueueName == asks.Spec.QueueName && w.Annotations[fingerprintAnnotation] == asks.Annotations[fingerprintAnnotation]
			})
		})
	}
}

// TestQuotaForAnEarlierAsk: Kueue writes its decision on a Workload after the Workload was changed. That quota is for
// the earlier ask, so it is returned.
func TestQuotaForAnEarlierAsk(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		quota          change
		decided, asked int64
		state          queueing.State
	}{
		"admitted for the change":       {isAdmitted, 1, 1, queueing.Waiting}, // for its flavor, which this cluster does not have
		"admitted before the change":    {isAdmitted, 1, 2, queueing.Evicting},
		"admitted, it is not said when": {isAdmitted, 0, 2, queueing.Waiting},
		"checks pending for the change": {hasQuota, 1, 1, queueing.Waiting},
		"checks pending, before it":     {hasQuota, 1, 2, queueing.Undecided}, // another Workload takes its place
		"the same, deactivated":         {func(w *kueuev1.Workload) { hasQuota(w); isInactive(w) }, 1, 2, queueing.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := made(func(w *kueuev1.Workload) { *w = *workloadOf(ask(atLeast(1)), nil) }, tt.quota)
			w.UID, w.Generation = "w-1", tt.asked
			conditionOf(w, kueuev1.WorkloadQuotaReserved).ObservedGeneration = tt.decided
			g, _ := gateOver(t, w)
			g.requester.writer.asks[w.UID] = w.Generation
			if v, err := g.Sync(t.Context(), ask(atLeast(1))); err != nil || v.State != tt.state {
				t.Errorf("%s %s, %v; want %s", v.State, v.Message, err, tt.state)
			}
		})
	}
}

// TestForgetsWhatIsReplaced: what is known about a Workload is dropped with it, even if another one has its name when
// the watch shows its deletion.
func TestForgetsWhatIsReplaced(t *testing.T) {
	t.Parallel()
	old := made(func(w *kueuev1.Workload) { w.UID, w.ResourceVersion, w.Generation = "w-1", "5", 2 })
	g, _ := gateOver(t, made(func(w *kueuev1.Workload) { w.UID = "w-2" }))
	writer := g.requester.writer
	writer.asks[old.UID] = old.Generation
	writer.record(made(func(w *kueuev1.Workload) { w.UID, w.ResourceVersion = "w-1", "6" }))
	g.view.workloads.Changed(old)
	if len(writer.asks)+len(writer.written) > 0 {
		t.Errorf("still known: %v, %v", writer.asks, writer.written)
	}
}
