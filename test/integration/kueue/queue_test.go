// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
	"github.com/sparkgate/sparkgate/test/systems"
)

// stories need neither Kueue nor the operator to stop, and are played at the same time.
var stories = map[string]func(*testing.T){
	"one application waits for the other": quotaWait, "priority displaces": priorityDisplaces, "a cohort lends and takes back": borrowing,
	"fewer executors": partialAdmission, "no executors": driverOnly, "deactivated": deactivated, "drained": drained, "stopped for a while": stoppedForAWhile, "suspended": suspendedApplication, "edited while it waits": editedWhileItWaits,
	"edited with quota, before its checks": editedBeforeChecks, "checked once more": checkedOnceMore, "fails and is tried again": failsAndIsTriedAgain, "queues that are missing": missingQueues, "two names of a queue": twoNames,
	"asks for too much": tooMuch, "deleted while it runs": deletedWhileItRuns,
	"somebody deletes the Workload":      workloadDeleted,
	"the gate is changed while it waits": gateChanged, "the gate is changed while it runs": gateChangedInMidRun,
	"a cluster": clusterInKueue, "grows and shrinks": growsAndShrinks, "grows by many": growsByMany, "grows past its checks": growsPastItsChecks,
	"a program asks for more":  programAsksForMore,
	"executors are taken back": executorsReclaimed,
	"base gangs first":         baseGangsFirst, "somebody takes a chunk": chunkDeleted, "guarded": guardedUnderKueue,
	"a check rejects": rejectedByCheck, "a check asks to retry": retriedByCheck, "a check adds to the pods": updatedByCheck,
	"activated again while it stops": reactivatedWhileItStops, "a LocalQueue is drained": drainedLocalQueue,
	"the ClusterQueue is deleted": deletedClusterQueue, "gated admission": gatedAdmission, "somebody takes the label": unlabelled, "topology": topology, "MultiKueue": multiKueue,
}

func TestQueue(t *testing.T) {
	play(t, systems.KueueSettings{}, slices.Collect(maps.Keys(stories))...)
}

// TestQueueWithOtherReasons: Kueue's next version gives other reasons and messages for a wait, as this one does with a
// feature gate.
func TestQueueWithOtherReasons(t *testing.T) {
	play(t, systems.KueueSettings{FeatureGates: "UnadmittedWorkloadsObservability=true"},
		"one application waits for the other", "deactivated", "stopped for a while", "queues that are missing", "a check asks to retry",
		"activated again while it stops", "gated admission")
}

// play plays stories at the same time, beside a Kueue with these settings.
func play(t *testing.T, settings systems.KueueSettings, names ...string) {
	t.Helper()
	systems.Kueue(t, env.Cluster(), settings)
	harness.StartOperator(t, harness.OperatorOptions{})
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stories[name](t)
		})
	}
}

func quotaWait(t *testing.T) {
	w := newWorld(t, "3Gi")
	first := w.apply("first")
	driver := w.Run(first)
	if diff := cmp.Diff(map[string]string{"pool": w.Namespace}, driver.Spec.NodeSelector); diff != "" {
		t.Errorf("node selector of the driver (-want +got):\n%s", diff)
	}
	if driver.Labels["kueue.x-k8s.io/podset"] != "driver" || driver.Labels["kueue.x-k8s.io/queue-name"] != "" || len(driver.Spec.Tolerations) == 0 {
		t.Errorf("labels %v, tolerations %v of the driver", driver.Labels, driver.Spec.Tolerations)
	}
	if name, has := driver.Annotations[kueuev1.WorkloadAnnotation]; has {
		t.Errorf("the driver is of Workload %s, so Kueue looks for its slices, and its log fills with errors", name)
	}
	workload := w.workload(first)
	if !metav1.IsControlledBy(workload, first) || workload.Labels["kueue.x-k8s.io/job-uid"] != string(first.UID) {
		t.Errorf("the Workload belongs to %v, labels %v", workload.OwnerReferences, workload.Labels)
	}
	w.becomes(workload, "Admitted=True", "PodsReady=False/WaitForStart")

	second := w.apply("second")
	w.waits(second, "Queued", "WaitingForQuota", "ClusterQueue "+w.Namespace, "insufficient unused quota for memory in flavor "+w.Namespace)
	w.finish(first, 0)
	w.Reach(first, "Succeeded")
	w.becomes(workload, "Finished=True/Succeeded")
	eventually(w, workload, "without our finalizer", func(k *kueuev1.Workload) bool { return len(k.Finalizers) == 0 })
	w.Succeed(second)
	w.Unused()
}

func priorityDisplaces(t *testing.T) {
	w := newWorld(t, "3Gi", lowerPriority)
	urgent := w.priority("urgent", 1000)
	low := w.apply("low")
	w.Run(low)
	workload := w.workload(low)
	high := w.apply("high", func(a *v1alpha1.SparkApplication) { a.Spec.Queue.PriorityClassName = urgent })
	w.waits(low, "Preempted", "", "Kueue has evicted Workload", "Preempted")
	w.Succeed(high)
	w.Run(low)
	if again := w.workload(low); again.UID != workload.UID || again.Labels[v1alpha1.AttemptLabel] != "2" || low.Status.Preemptions != 1 || low.Status.Failures != 0 {
		t.Errorf("Workload %s of attempt %s, status %+v; want the same Workload for attempt 2", again.Name, again.Labels[v1alpha1.AttemptLabel], low.Status)
	}
	if ref := w.workload(high).Spec.PriorityClassRef; ref == nil || ref.Kind != kueuev1.WorkloadPriorityClassKind || ref.Name != urgent {
		t.Errorf("priority class %+v", ref)
	}
	w.finish(low, 0)
	w.Reach(low, "Succeeded")
	missing := w.apply("missing", func(a *v1alpha1.SparkApplication) { a.Spec.Queue.PriorityClassName = "no-such-class" })
	w.waits(missing, "ReferenceNotFound", "", "WorkloadPriorityClass or PriorityClass", "no-such-class")
}

func borrowing(t *testing.T) {
	w := newWorld(t, "3Gi", func(s *kueuev1.ClusterQueueSpec) { cohort("c-" + string(s.ResourceGroups[0].Flavors[0].Name))(s) })
	other := w.Namespace + "-b"
	w.clusterQueue(other, "3Gi", cohort("c-"+w.Namespace))
	w.localQueue("other", other)
	first, second := w.apply("first"), w.apply("second")
	w.Run(first)
	w.Run(second)
	lender := w.apply("lender", inQueue("other"))
	w.Run(lender)
	running, displaced := first, second
	if harness.Eventually(t, first, "settled", func(*v1alpha1.SparkApplication) bool { return true }); first.Status.Preemptions > 0 {
		running, displaced = second, first
	}
	w.waits(displaced, "Preempted", "", "Kueue has evicted Workload")
	w.finish(lender, 0)
	w.Run(displaced)
	w.finish(running, 0)
	w.finish(displaced, 0)
	w.Reach(running, "Succeeded")
	w.Reach(displaced, "Succeeded")
}

func partialAdmission(t *testing.T) {
	w := newWorld(t, "3Gi")
	app := w.apply("pi", executors(6), func(a *v1alpha1.SparkApplication) { a.Spec.Queue.MinExecutors = ptr.To[int32](1) })
	w.Driver(app)
	for _, p := range app.Status.Grant.PodSets {
		if p.Name == v1alpha1.ExecutorPodSet && p.Count != 2 {
			t.Errorf("%d executors granted, want the two that fit", p.Count)
		}
	}
	if app.Status.Executors.Wanted != 2 {
		t.Errorf("wanted %d", app.Status.Executors.Wanted)
	}
	w.Succeed(app)

	first := w.apply("first", executors(1))
	w.Run(first)
	more := w.apply("more", executors(20), func(a *v1alpha1.SparkApplication) { a.Spec.Queue.MinExecutors = ptr.To[int32](1) })
	w.waits(more, "Queued", "WaitingForQuota", "maximum capacity (3Gi)") // of all executors, but the least number of them fits before long
	w.finish(first, 0)
	w.Succeed(more)
}

func driverOnly(t *testing.T) {
	w := newWorld(t, "1Gi")
	app := w.apply("pi", func(a *v1alpha1.SparkApplication) {
		a.Spec.SparkConf = map[string]string{"spark.kubernetes.driver.master": "local[2]"}
	})
	w.Run(app)
	if sets := w.workload(app).Spec.PodSets; len(sets) != 1 || len(app.Status.Grant.PodSets) != 1 || app.Status.Executors != nil {
		t.Errorf("asked for %+v: %s", sets, harness.Show(app))
	}
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
}

func deactivated(t *testing.T) {
	w := newWorld(t, "3Gi")
	app := w.apply("pi")
	w.Run(app)
	off := func(k *kueuev1.Workload) { k.Spec.Active = ptr.To(false) }
	change(w, w.workload(app), off)
	w.waits(app, "Deactivated", "QueueHeld", "was deactivated", "spec.suspend", "spec.runID")
	w.becomes(w.workload(app), "QuotaReserved=False", "Admitted=False")
	w.NothingRuns()
	change(w, w.workload(app), func(k *kueuev1.Workload) { k.Spec.Active = ptr.To(true) })
	w.Run(app)
	change(w, w.workload(app), off)
	w.waits(app, "Deactivated", "QueueHeld")
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
	w.Reach(app, "Suspended")
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = false })
	w.Run(app)
	change(w, w.workload(app), off)
	w.waits(app, "Deactivated", "QueueHeld")
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.RunID = "again" })
	w.Run(app)
	if app.Status.Run != 2 {
		t.Errorf("run %d, want 2", app.Status.Run)
	}
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
}

func drained(t *testing.T) {
	w := newWorld(t, "3Gi")
	app, waiting := w.apply("pi"), w.apply("waiting")
	running := w.running(app, waiting)
	if running == waiting {
		app, waiting = waiting, app
	}
	w.stop(kueuev1.HoldAndDrain)
	w.waits(app, "Preempted", "QueueHeld", "ClusterQueue "+w.Namespace, "HoldAndDrain")
	w.waits(waiting, "Queued", "QueueHeld", "HoldAndDrain")
	w.NothingRuns()
	w.stop(kueuev1.None)
	w.SucceedAll(app, waiting)
}

// stoppedForAWhile: once the queue admits again, no application says that it does not. Kueue still says so of some
// Workloads until it processes them, and of several that request the same it processes only one. TestVerdicts has the
// conditions that Kueue may leave.
func stoppedForAWhile(t *testing.T) {
	w := newWorld(t, "3Gi")
	w.Run(w.apply("first"))
	waiting := []*v1alpha1.SparkApplication{w.apply("second"), w.apply("third")}
	w.stop(kueuev1.Hold)
	for _, app := range waiting {
		w.waits(app, "Queued", "QueueHeld", "stopPolicy is Hold")
	}
	w.stop(kueuev1.None)
	for _, app := range waiting {
		harness.Eventually(t, app, "waiting for quota, or for a look", func(a *v1alpha1.SparkApplication) bool {
			message := harness.Message(a)
			return strings.Contains(message, "insufficient unused quota") || strings.Contains(message, "has not evaluated Workload") ||
				strings.Contains(message, "an equivalent workload recently failed")
		})
	}
}

// running returns the application of two that has a driver.
func (w *world) running(a, b *v1alpha1.SparkApplication) *v1alpha1.SparkApplication {
	w.t.Helper()
	var first *v1alpha1.SparkApplication
	harness.Eventually(w.t, a, "let in, or the other", func(*v1alpha1.SparkApplication) bool {
		_ = env.Client().Get(w.t.Context(), client.ObjectKeyFromObject(b), b)
		for _, app := range []*v1alpha1.SparkApplication{a, b} {
			if app.Status.Grant != nil {
				first = app
			}
		}
		return first != nil
	})
	w.Run(first)
	return first
}

func suspendedApplication(t *testing.T) {
	w := newWorld(t, "3Gi")
	app := w.apply("pi")
	w.Run(app)
	workload := w.workload(app)
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
	w.Reach(app, "Suspended")
	harness.GoneWith(t, w.client, workload)
	other := w.apply("other")
	w.Succeed(other)
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = false })
	w.Run(app)
	if again := w.workload(app); again.UID == workload.UID || app.Status.Resumes != 1 {
		t.Errorf("Workload %s, resumes %d; want another Workload", again.Name, app.Status.Resumes)
	}
	w.finish(app, 0)
	w.Reach(app, "Succeeded")

	queued := w.apply("queued", executors(2), func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
	w.Reach(queued, "Suspended")
	if n := len(w.workloads(queued)); n != 0 {
		t.Errorf("an application that never asked has %d Workloads", n)
	}
}

// editedWhileItWaits: Kueue orders Workloads by their creation, whatever changes later. So a Workload whose application
// requests more is created again, and gets a place behind those that were there.
func editedWhileItWaits(t *testing.T) {
	w := newWorld(t, "3Gi")
	first := w.apply("first")
	w.Run(first)
	edited := w.apply("edited", executors(1), func(a *v1alpha1.SparkApplication) { a.Spec.OnTemplateChange = v1alpha1.TemplateChangeIgnore })
	w.waits(edited, "Queued", "WaitingForQuota")
	before := w.workload(edited)
	other := w.apply("other")
	w.waits(other, "Queued", "WaitingForQuota")
	last := w.workload(other).CreationTimestamp
	harness.Eventually(t, other, "older than this second, in which ages count", func(*v1alpha1.SparkApplication) bool {
		return time.Now().Truncate(time.Second).After(last.Time)
	})
	harness.Change(t, edited, executors(2))
	eventually(w, before.DeepCopy(), "another Workload, for two executors", func(k *kueuev1.Workload) bool {
		return k.UID != before.UID && k.Spec.PodSets[1].Count == 2 && last.Before(&k.CreationTimestamp)
	})
	w.waits(edited, "Queued", "", "ClusterQueue "+w.Namespace) // Kueue may leave its word of it to the other, which asks for the same
	w.finish(first, 0)
	w.Succeed(other)
	w.Succeed(edited)
}

// editedBeforeChecks: an application has quota and waits for an admission check. If it is moved to another queue, or
// needs more executors, it releases that quota and asks again.
func editedBeforeChecks(t *testing.T) {
	w := newWorld(t, "3Gi", withCheck(t))
	w.clusterQueue(w.Namespace+"-b", "3Gi")
	w.localQueue("other", w.Namespace+"-b")
	app := w.apply("pi", executors(6), func(a *v1alpha1.SparkApplication) { a.Spec.Queue.MinExecutors = ptr.To[int32](1) })
	w.waits(app, "Queued", "WaitingForGate", "has quota in ClusterQueue "+w.Namespace, w.Namespace+" is Pending")
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Queue.MinExecutors = ptr.To[int32](3) })
	w.waits(app, "ExceedsQuota", "ExceedsQuota", "ClusterQueue "+w.Namespace)
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Queue.MinExecutors = ptr.To[int32](1) })
	w.waits(app, "Queued", "WaitingForGate", w.Namespace+" is Pending")
	harness.Change(t, app, inQueue("other"))
	w.Run(app)
	if workload := w.workload(app); workload.Spec.QueueName != "other" || app.Status.Grant.Queue != "other" || app.Status.Queue != "other" {
		t.Errorf("the Workload is in queue %s, the grant in %s, the application in %s", workload.Spec.QueueName, app.Status.Grant.Queue, app.Status.Queue)
	}
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
}

// withCheck adds an admission check, of the name of the namespace, that passes when a test says so.
func withCheck(t *testing.T) func(*kueuev1.ClusterQueueSpec) {
	return func(s *kueuev1.ClusterQueueSpec) {
		flavor := s.ResourceGroups[0].Flavors[0].Name // of the name of the namespace
		s.AdmissionChecksStrategy = &kueuev1.AdmissionChecksStrategy{AdmissionChecks: []kueuev1.AdmissionCheckStrategyRule{{Name: kueuev1.AdmissionCheckReference(flavor)}}}
		check := &kueuev1.AdmissionCheck{ObjectMeta: metav1.ObjectMeta{Name: string(flavor)}, Spec: kueuev1.AdmissionCheckSpec{ControllerName: "example.org/nobody"}}
		c := kueueClient(t)
		if err := c.Create(t.Context(), check); err != nil {
			t.Fatal(err)
		}
		before := check.DeepCopy()
		check.Status.Conditions = []metav1.Condition{{Type: kueuev1.AdmissionCheckActive, Status: metav1.ConditionTrue, Reason: "Active", LastTransitionTime: metav1.Now()}}
		if err := c.Status().Patch(t.Context(), check, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
	}
}

// pass has the admission check of an application that waits for it pass.
func (w *world) pass(app *v1alpha1.SparkApplication) {
	w.t.Helper()
	w.passCheckOf(w.workload(app))
}

// passCheckOf makes the admission check of a waiting Workload pass.
func (w *world) passCheckOf(workload *kueuev1.Workload) {
	w.t.Helper()
	w.passCheckUnless(workload, func(*kueuev1.Workload) bool { return false })
}

// passCheckUnless has the admission check of a Workload that waits for it pass, unless the Workload of that name is another one by then.
func (w *world) passCheckUnless(workload *kueuev1.Workload, isOther func(*kueuev1.Workload) bool) {
	w.t.Helper()
	eventually(w, workload, "past its check", func(k *kueuev1.Workload) bool {
		if isOther(k) {
			return true
		}
		if len(k.Status.AdmissionChecks) == 0 {
			return false
		}
		before := k.DeepCopy()
		k.Status.AdmissionChecks[0].State, k.Status.AdmissionChecks[0].LastTransitionTime = kueuev1.CheckStateReady, metav1.Now()
		return w.client.Status().Patch(w.t.Context(), k, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})) == nil
	})
}

// checkedOnceMore: the pods of an application differ from those that have passed an admission check, because its
// namespace has got a LimitRange. The application releases that quota, and its new ask also has to pass the check: in
// the same Workload, or in another one if Kueue grants quota for the old pods once more before the Workload requests
// the new ones.
func checkedOnceMore(t *testing.T) {
	w := newWorld(t, harness.MemoryFor(4), withCheck(t))
	app := w.apply("pi", executors(3))
	w.waits(app, "Queued", "WaitingForGate", w.Namespace+" is Pending")
	asked := w.workload(app)
	limit := &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "cores"}, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{
		{Type: corev1.LimitTypeContainer, Default: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4")}},
	}}}
	if err := env.Client().Create(t.Context(), limit); err != nil {
		t.Fatal(err)
	}
	asksForOthers := func(k *kueuev1.Workload) bool {
		return k.Annotations["sparkgate.io/inputs"] != asked.Annotations["sparkgate.io/inputs"]
	}
	w.passCheckUnless(asked.DeepCopy(), asksForOthers) // the operator may see the LimitRange before the check passes
	eventually(w, asked.DeepCopy(), "with quota for other pods, and its check pending", func(k *kueuev1.Workload) bool {
		return asksForOthers(k) && k.Status.Admission != nil &&
			len(k.Status.AdmissionChecks) == 1 && k.Status.AdmissionChecks[0].State == kueuev1.CheckStatePending
	})
	w.waits(app, "Queued", "WaitingForGate", w.Namespace+" is Pending")
	w.pass(app)
	w.Succeed(app)
}

func failsAndIsTriedAgain(t *testing.T) {
	w := newWorld(t, "3Gi")
	app := w.apply("pi", func(a *v1alpha1.SparkApplication) {
		a.Spec.RestartPolicy = &v1alpha1.RestartPolicy{Type: v1alpha1.RestartOnFailure, Backoff: &v1alpha1.Backoff{Initial: &metav1.Duration{}}}
	})
	w.Kubelet.Finish(t.Context(), w.Run(app), 3, "Error")
	harness.Eventually(t, app, "at attempt 2", func(a *v1alpha1.SparkApplication) bool { return a.Status.Attempt == 2 && a.Status.Grant != nil })
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
	harness.EventuallyWith(t, w.client, app, "with two ended Workloads", func(*v1alpha1.SparkApplication) bool {
		var ends []string
		for _, k := range w.workloads(app) {
			for _, c := range k.Status.Conditions {
				if c.Type == kueuev1.WorkloadFinished {
					ends = append(ends, k.Labels[v1alpha1.AttemptLabel]+" "+c.Reason)
				}
			}
		}
		return cmp.Equal(ends, []string{"1 Failed", "2 Succeeded"})
	})
}

func missingQueues(t *testing.T) {
	w := newWorld(t, "3Gi")
	app := w.apply("pi", inQueue("later"))
	w.waits(app, "ReferenceNotFound", "", `LocalQueue "later"`, "spec.queue.name", w.Namespace)
	queue := &kueuev1.LocalQueue{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "later"}, Spec: kueuev1.LocalQueueSpec{ClusterQueue: "nowhere"}}
	w.create(queue)
	w.waits(app, "ReferenceNotFound", "", `ClusterQueue "nowhere"`, w.Namespace+"/later")
	if err := w.client.Delete(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	w.localQueue("later", w.Namespace)
	w.Succeed(app)

	closed := w.Namespace + "-closed"
	w.clusterQueue(closed, "3Gi", func(s *kueuev1.ClusterQueueSpec) {
		s.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": "x"}}
	})
	w.localQueue("closed", closed)
	w.waits(w.apply("stranger", inQueue("closed")), "Queued", "NamespaceNotAllowed", "ClusterQueue "+closed)
}

func twoNames(t *testing.T) {
	w := newWorld(t, "3Gi")
	label := func(name string) func(*v1alpha1.SparkApplication) {
		return func(a *v1alpha1.SparkApplication) { a.Labels = map[string]string{v1alpha1.KueueQueueLabel: name} }
	}
	both := w.apply("both", label("other"))
	w.waits(both, "InvalidSpec", "", "spec.queue.name", w.Namespace, "kueue.x-k8s.io/queue-name=other")
	if n := len(w.workloads(both)); n != 0 {
		t.Errorf("%d Workloads", n)
	}
	harness.Change(t, both, label(w.Namespace))
	w.Succeed(both)
	w.Succeed(w.apply("labelled", label(w.Namespace), inQueue("")))
	w.waits(w.apply("flavors", func(a *v1alpha1.SparkApplication) {
		a.Spec.Queue.Flavors = &v1alpha1.FlavorChoice{Driver: []string{"spot"}}
	}),
		"InvalidSpec", "", "spec.queue.flavors", "nodeSelector")
	w.waits(w.apply("class", func(a *v1alpha1.SparkApplication) {
		a.Labels = map[string]string{"kueue.x-k8s.io/priority-class": "high"}
	}),
		"InvalidSpec", "", "metadata.labels[kueue.x-k8s.io/priority-class]", "spec.queue.priorityClassName")
}

func tooMuch(t *testing.T) {
	w := newWorld(t, "3Gi")
	app := w.apply("pi", executors(20))
	w.waits(app, "ExceedsQuota", "ExceedsQuota", "maximum capacity (3Gi)")
	change(w, &kueuev1.ClusterQueue{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}, func(q *kueuev1.ClusterQueue) {
		q.Spec.ResourceGroups[0].Flavors[0].Resources[0].NominalQuota = resource.MustParse("30Gi")
	})
	w.Succeed(app)
	if app.Status.Run != 1 || app.Status.Attempt != 1 {
		t.Errorf("run %d, attempt %d", app.Status.Run, app.Status.Attempt)
	}
	w.waits(w.apply("gpu", func(a *v1alpha1.SparkApplication) {
		a.Spec.Executor.GPU = &v1alpha1.GPU{Name: "nvidia.com/gpu", Quantity: 1}
	}),
		"ExceedsQuota", "ExceedsQuota", "resource nvidia.com/gpu unavailable in ClusterQueue")
}

func deletedWhileItRuns(t *testing.T) {
	w := newWorld(t, "3Gi")
	app := w.apply("pi")
	w.Run(app)
	workload := w.workload(app)
	if err := env.Client().Delete(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	harness.Gone(t, app)
	w.NothingRuns()
	harness.GoneWith(t, w.client, workload)
	w.Succeed(w.apply("next"))
}

func workloadDeleted(t *testing.T) {
	w := newWorld(t, "3Gi")
	app := w.apply("pi")
	w.Run(app)
	first := w.workload(app)
	if err := w.client.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, app, "asking again", func(a *v1alpha1.SparkApplication) bool { return a.Status.Attempt == 2 })
	w.Run(app)
	if second := w.workload(app); second.UID == first.UID || app.Status.Failures != 0 {
		t.Errorf("Workload %s, failures %d; want another Workload and no failure", second.Name, app.Status.Failures)
	}
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
}

func gateChanged(t *testing.T) {
	w := newWorld(t, "3Gi")
	w.stop(kueuev1.Hold)
	app := w.apply("pi")
	w.waits(app, "Queued", "QueueHeld")
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Queue.Gate = v1alpha1.GateEmbedded })
	w.Run(app)
	harness.EventuallyWith(t, w.client, app, "without a Workload", func(*v1alpha1.SparkApplication) bool { return len(w.workloads(app)) == 0 })
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
}

func gateChangedInMidRun(t *testing.T) {
	w := newWorld(t, "3Gi")
	app := w.apply("pi")
	w.Run(app)
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Queue.Gate = v1alpha1.GateEmbedded })
	harness.Eventually(t, app, "looked at", func(a *v1alpha1.SparkApplication) bool { return a.Status.ObservedGeneration == a.Generation })
	if gate := app.Status.Grant.Gate; gate != v1alpha1.GateKueue {
		t.Errorf("the grant of the run is of gate %s now", gate)
	}
	workload := w.workload(app)
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
	w.becomes(workload, "Finished=True/Succeeded")
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.RunID = "2" })
	harness.Eventually(t, app, "in run 2", func(a *v1alpha1.SparkApplication) bool { return a.Status.Run == 2 && a.Status.Grant != nil })
	if gate := app.Status.Grant.Gate; gate != v1alpha1.GateEmbedded {
		t.Errorf("the grant of run 2 is of gate %s", gate)
	}
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
}
