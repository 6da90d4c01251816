// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
	"github.com/sparkgate/sparkgate/test/systems"
)

// TestOperatorRestarts: a new operator continues where the one before it ended, at every point.
func TestOperatorRestarts(t *testing.T) {
	systems.Kueue(t, env.Cluster(), systems.KueueSettings{})
	operator := harness.StartOperator(t, harness.OperatorOptions{})
	again := func(while func()) {
		operator.Stop()
		while()
		operator = harness.StartOperator(t, harness.OperatorOptions{})
	}
	w := newWorld(t, "3Gi", lowerPriority)
	urgent := w.priority("urgent", 1000)
	app := w.apply("pi")
	w.Run(app)
	second := w.apply("second")
	w.waits(second, "Queued", "WaitingForQuota")
	again(func() {})
	workload := w.workload(app)
	if workload.Labels[v1alpha1.AttemptLabel] != "1" || app.Status.Attempt != 1 {
		t.Errorf("attempt %d after a restart", app.Status.Attempt)
	}

	var high *v1alpha1.SparkApplication
	again(func() { // evicted while no operator runs
		high = w.apply("high", func(a *v1alpha1.SparkApplication) { a.Spec.Queue.PriorityClassName = urgent })
		asked := &kueuev1.Workload{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: workload.Name}}
		change(w, asked, func(k *kueuev1.Workload) { *k.Spec.Active = false })
		w.becomes(asked, "Evicted=True/Deactivated")
	})
	w.waits(app, "Deactivated", "QueueHeld")
	w.Run(high)
	again(func() { w.finish(high, 0) }) // ended while no operator runs
	w.Reach(high, "Succeeded")
	w.becomes(w.workload(high), "Finished=True/Succeeded")
	w.Run(second)
	again(func() { // the application and its finalizer go while no operator runs: nothing stays
		if err := env.Client().Delete(t.Context(), second); err != nil {
			t.Fatal(err)
		}
		harness.Change(t, second, func(a *v1alpha1.SparkApplication) { a.Finalizers = nil })
	})
	harness.EventuallyWith(t, w.client, high, "alone", func(*v1alpha1.SparkApplication) bool { return len(w.workloads(second)) == 0 })
}

// TestAdmittedForOtherPods: Kueue admits an application while no operator runs, and its namespace has got a LimitRange meanwhile. A new operator
// gives that quota back, and Kueue never gives it again for those pods.
func TestAdmittedForOtherPods(t *testing.T) {
	systems.Kueue(t, env.Cluster(), systems.KueueSettings{})
	operator := harness.StartOperator(t, harness.OperatorOptions{})
	w := newWorld(t, harness.MemoryFor(1))
	app := w.apply("pi")
	w.waits(app, "ExceedsQuota", "ExceedsQuota")
	operator.Stop()
	before := w.workload(app)
	times := w.reservations(before.Annotations["sparkgate.io/inputs"])
	limit := &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "cores"}, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{
		{Type: corev1.LimitTypeContainer, Default: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4")}},
	}}}
	if err := env.Client().Create(t.Context(), limit); err != nil {
		t.Fatal(err)
	}
	change(w, &kueuev1.ClusterQueue{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}, func(q *kueuev1.ClusterQueue) {
		q.Spec.ResourceGroups[0].Flavors[0].Resources[0].NominalQuota = resource.MustParse(harness.MemoryFor(4))
	})
	w.becomes(before.DeepCopy(), "Admitted=True")
	harness.StartOperator(t, harness.OperatorOptions{})
	w.Run(app)
	if now, n := w.workload(app), times(); n != 1 || now.UID != before.UID {
		t.Errorf("Kueue has given quota for the old pods %d times, and Workload %s asks for the new ones; want once, and %s", n, now.UID, before.UID)
	}
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
}

// reservations counts how often Kueue gives quota to the only Workload of the world while that requests it for pods
// from certain inputs.
func (w *world) reservations(inputs string) (times func() int) {
	w.t.Helper()
	events, err := w.client.Watch(w.t.Context(), &kueuev1.WorkloadList{}, client.InNamespace(w.Namespace))
	if err != nil {
		w.t.Fatal(err)
	}
	counted := make(chan int, 1)
	go func() {
		n, had := 0, false
		for event := range events.ResultChan() {
			k, is := event.Object.(*kueuev1.Workload)
			if !is {
				continue
			}
			has := apimeta.IsStatusConditionTrue(k.Status.Conditions, kueuev1.WorkloadQuotaReserved)
			if has && !had && k.Annotations["sparkgate.io/inputs"] == inputs {
				n++
			}
			had = has
		}
		counted <- n
	}()
	return func() int {
		events.Stop()
		return <-counted
	}
}

// TestKueueRestarts: while Kueue is away nothing is let in and nothing is lost.
func TestKueueRestarts(t *testing.T) {
	kueue := systems.Kueue(t, env.Cluster(), systems.KueueSettings{})
	harness.StartOperator(t, harness.OperatorOptions{})
	w := newWorld(t, "3Gi")
	app := w.apply("pi")
	w.Run(app)
	edited := w.apply("edited", executors(1))
	w.waits(edited, "Queued", "WaitingForQuota")
	if err := kueue.Kill(); err != nil {
		t.Fatal(err)
	}
	harness.Change(t, edited, inQueue("later"))
	w.waits(edited, "Queued", "WaitingForGate", "could not be changed to what is asked for now; the operator will retry", "webhook")
	late := w.apply("late")
	w.waits(late, "Queued", "WaitingForGate", "could not be created; the operator will retry", "webhook")
	harness.Eventually(t, app, "untouched", harness.InStage("Running"))
	if err := kueue.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.waits(late, "Queued", "WaitingForQuota")
	w.waits(edited, "ReferenceNotFound", "", `LocalQueue "later"`)
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
	w.Succeed(late)
}

// TestNotInstalled: without Kueue's kinds only those wait that ask for them, and say what to install; once it is there they go on. Those
// that are deleted go. What runs when the kinds go, continues.
func TestNotInstalled(t *testing.T) {
	kueue := systems.Kueue(t, env.Cluster(), systems.KueueSettings{})
	if err := kueue.Uninstall(t.Context()); err != nil {
		t.Fatal(err)
	}
	harness.StartOperator(t, harness.OperatorOptions{})
	w := &world{World: harness.NewWorld(t, "", nil), t: t, client: kueueClient(t)}
	app, unwanted := w.apply("pi"), w.apply("unwanted")
	w.waits(app, "Queued", "GateNotInstalled", "install Kueue", "spec.queue.gate")
	w.Succeed(w.Apply("embedded"))
	if err := env.Client().Delete(t.Context(), unwanted); err != nil {
		t.Fatal(err)
	}
	harness.Gone(t, unwanted)

	if err := kueue.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.queues("3Gi")
	w.Run(app)
	waiting := w.apply("waiting")
	w.waits(waiting, "Queued", "WaitingForQuota")
	if err := kueue.Uninstall(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.waits(waiting, "Queued", "GateNotInstalled")
	if err := env.Client().Delete(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	harness.Gone(t, app)
	w.NothingRuns()
	if err := kueue.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.queues("3Gi")
	w.Succeed(waiting)
}

// TestUnreadable: Kueue's webhook does not convert what the API server has when an operator starts, so that its cache has no Workloads and it asks
// to come back later, for ever. Applications under other gates run all the same; those of Kueue wait and say so, and what one of them has goes
// back once it can be seen.
func TestUnreadable(t *testing.T) {
	systems.Kueue(t, env.Cluster(), systems.KueueSettings{})
	operator := harness.StartOperator(t, harness.OperatorOptions{})
	w, other := newWorld(t, "3Gi"), harness.NewWorld(t, "", nil)
	app := w.apply("pi")
	w.Run(app)
	unwanted := w.apply("unwanted")
	w.waits(unwanted, "Queued", "WaitingForQuota")
	left := w.workload(unwanted)
	operator.Stop()

	var answers atomic.Bool
	config := env.Config()
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			query := r.URL.Query()
			first := query.Get("limit") == "1" && !query.Has("watch") // goes past the cache of the API server, and the first Workload needs no webhook
			if answers.Load() || r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/kueue.x-k8s.io/v1beta2/") || first {
				return next.RoundTrip(r)
			}
			return &http.Response{
				Status: "429 Too Many Requests", StatusCode: http.StatusTooManyRequests, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
				Header: http.Header{"Content-Type": []string{"text/plain"}, "Retry-After": []string{"30"}}, Request: r,
				Body: io.NopCloser(strings.NewReader("storage is (re)initializing")),
			}, nil
		})
	})
	harness.StartOperator(t, harness.OperatorOptions{Config: config})
	other.Succeed(other.Apply("embedded"))
	late := w.apply("late")
	w.waits(late, "Queued", "WaitingForGate", "cannot be read", "webhook")
	harness.Eventually(t, app, "untouched", harness.InStage("Running"))
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
	if err := env.Client().Delete(t.Context(), unwanted); err != nil {
		t.Fatal(err)
	}
	harness.Gone(t, unwanted)

	answers.Store(true)
	harness.GoneWith(t, w.client, left)
	w.becomes(w.workload(app), "Finished=True/Succeeded")
	w.Succeed(late)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestPodIntegration: a driver that Kueue takes for a job of its own is deleted, and the message names the setting. Under another
// gate the application waits for Kueue as well, and says so.
func TestPodIntegration(t *testing.T) {
	kueue := systems.Kueue(t, env.Cluster(), systems.KueueSettings{Pods: true})
	// Its webhook for pods would also apply to those of other tests.
	defer func() {
		if err := kueue.Uninstall(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	harness.StartOperator(t, harness.OperatorOptions{})
	w := newWorld(t, "3Gi")
	w.localQueue("default", w.Namespace) // Kueue gives pods without a queue to this one
	app := w.apply("pi")
	w.waits(app, "GateConflict", "", "managedJobsNamespaceSelector", "externalFrameworks", "kueue.x-k8s.io/admission")
	w.NothingRuns()
	if a := app.Status.Attempts; len(a) != 1 || a[0].Cause != v1alpha1.CauseConfiguration {
		t.Errorf("attempts %+v", a)
	}
	w.stop(kueuev1.Hold)
	w.waits(w.Apply("embedded"), "Starting", "", "does not start", "scheduling gate kueue.x-k8s.io/admission", "managedJobsNamespaceSelector")
}

// TestPodsReady: Kueue learns when the attempt works, and takes quota back from one that never does.
func TestPodsReady(t *testing.T) {
	systems.Kueue(t, env.Cluster(), systems.KueueSettings{Config: map[string]any{"waitForPodsReady": map[string]any{
		"timeout": "15s", "requeuingStrategy": map[string]any{"backoffBaseSeconds": 5},
	}}})
	harness.StartOperator(t, harness.OperatorOptions{})
	w := newWorld(t, "6Gi")
	works := w.apply("works", executors(1))
	driver := w.Run(works)
	w.Kubelet.Executors(t.Context(), driver, 1)
	w.becomes(w.workload(works), "PodsReady=True/Started")
	never := w.apply("never", executors(1))
	w.Run(never)
	w.becomes(w.workload(never), "PodsReady=False/WaitForStart")
	harness.Eventually(t, never, "evicted", func(a *v1alpha1.SparkApplication) bool { return a.Status.Preemptions == 1 })
	w.waits(never, "Preempted", "WaitingForGate", "Kueue does not consider Workload", "(PodsReadyTimeout)")
	w.Run(never)
	w.finish(never, 0)
	w.Reach(never, "Succeeded")
	if works.Status.Preemptions != 0 {
		t.Error("one that works was evicted")
	}
	w.finish(works, 0)
}

// TestLeaderIsKilled: when one of three replicas is killed while it leads, what runs continues and what waits is admitted under
// the next one. An application that moves to the embedded queue leaves nothing at Kueue.
func TestLeaderIsKilled(t *testing.T) {
	systems.Kueue(t, env.Cluster(), systems.KueueSettings{})
	w := newWorld(t, "3Gi")
	program := harness.BuildProgram(t)
	replicas := map[*harness.Process]bool{}
	for range 3 {
		replicas[program.Start(t, "--enable-leader-election")] = true
	}
	app := w.apply("pi")
	w.Run(app)
	second := w.apply("second")
	w.waits(second, "Queued", "WaitingForQuota")
	embedded := w.Apply("embedded")
	w.Run(embedded)
	moves := w.apply("moves")
	w.Reach(moves, "Queued")
	w.workload(moves)
	harness.Change(t, moves, func(a *v1alpha1.SparkApplication) { a.Spec.Queue.Gate = v1alpha1.GateEmbedded })
	w.Succeed(moves)
	env.Until(t, "the Workload of one that has gone to another gate is deleted", func() bool { return len(w.workloads(moves)) == 0 })

	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: program.Namespace, Name: "sparkgate-leader"}}
	if err := w.client.Get(t.Context(), client.ObjectKeyFromObject(lease), lease); err != nil {
		t.Fatal(err)
	}
	before := *lease.Spec.HolderIdentity
	for s := range replicas {
		if strings.Contains(s.Log(), "Successfully acquired lease") {
			s.Kill()
		}
	}
	eventually(w, lease, "held by another replica", func(l *coordinationv1.Lease) bool {
		return l.Spec.HolderIdentity != nil && *l.Spec.HolderIdentity != "" && *l.Spec.HolderIdentity != before
	})
	w.waits(second, "Queued", "WaitingForQuota")
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
	w.Succeed(second)
	w.Kubelet.Finish(t.Context(), w.Driver(embedded), 0, "Completed")
	w.Reach(embedded, "Succeeded")
	for _, app := range []*v1alpha1.SparkApplication{app, second, embedded} {
		if created := w.Kubelet.Created(app.UID); len(created) != 1 {
			t.Errorf("%s had the drivers %v", app.Name, created)
		}
	}
}
