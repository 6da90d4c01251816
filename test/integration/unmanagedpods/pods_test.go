// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package unmanagedpods

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestRawSubmit: a driver that a user has created by spark-submit waits for quota, then its executors do, before what was queued after the
// driver. The queue shows them, an event on the pod says why it waits, and what they held goes back when they are gone.
func TestRawSubmit(t *testing.T) {
	t.Parallel()
	w := enrol(t, "3Gi")
	operator.Use(t)
	d := driver(w, "submit")
	apply(t, d)
	awaitUngated(t, w, d)
	told(t, d, "Admitted", "quota in queue "+w.Queue.Name)
	counted(t, w, counts{applications: [2]int32{1, 0}, pods: [2]int32{1, 0}})

	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) { a.Spec.Queue = nil }) // needs 2688Mi
	w.Reach(app, "Queued")
	counted(t, w, counts{applications: [2]int32{1, 1}, pods: [2]int32{1, 0}})
	one, two, three := executor(d, 1), executor(d, 2), executor(d, 3)
	apply(t, one, two)
	awaitUngated(t, w, one, two)
	apply(t, three)
	told(t, three, "WaitingForQuota", "waits for quota in queue "+w.Queue.Name, "needs memory 1Gi", "at most 3Gi")
	counted(t, w, counts{applications: [2]int32{1, 1}, pods: [2]int32{3, 1}})
	harness.Eventually(t, w.Queue, "showing the executor first in line", func(q *v1alpha1.SparkQueue) bool {
		return len(q.Status.Heads) == 2 && q.Status.Heads[0].Kind == v1alpha1.PodKind && q.Status.Heads[0].Name == three.Name && q.Status.Heads[1].Kind == v1alpha1.SparkApplicationKind
	})

	remove(t, one)
	awaitUngated(t, w, three)
	harness.Change(t, two, func(p *corev1.Pod) {}) // what is not Spark's business changes nothing
	two.Status.Phase = corev1.PodSucceeded
	if err := env.Client().Status().Update(t.Context(), two); err != nil {
		t.Fatal(err)
	}
	remove(t, three, d)
	w.Succeed(app)
	w.Unused()
}

// TestClientMode: executors of a driver outside of the cluster are let in one by one. They are not counted as applications.
func TestClientMode(t *testing.T) {
	t.Parallel()
	w := enrol(t, "2Gi")
	operator.Use(t)
	outside := driver(w, "notebook")
	one, two, three := executor(outside, 1), executor(outside, 2), executor(outside, 3)
	apply(t, one, two)
	awaitUngated(t, w, one, two)
	apply(t, three)
	told(t, three, "WaitingForQuota")
	counted(t, w, counts{applications: [2]int32{0, 0}, pods: [2]int32{2, 1}})
	remove(t, three)
	counted(t, w, counts{applications: [2]int32{0, 0}, pods: [2]int32{2, 0}})
	remove(t, one, two)
	w.Unused()
}

// TestMaxRunning: a driver waits like an application when the queue runs as many as it may; executors of one that runs do not.
func TestMaxRunning(t *testing.T) {
	t.Parallel()
	w := enrol(t, "8Gi")
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.MaxRunning = new(int32); *q.Spec.MaxRunning = 1 })
	operator.Use(t)
	first, second := driver(w, "first"), driver(w, "second")
	apply(t, first)
	awaitUngated(t, w, first)
	apply(t, second)
	told(t, second, "MaxRunning", "reached its maxRunning of 1")
	exec := executor(first, 1)
	apply(t, exec)
	awaitUngated(t, w, exec)
	remove(t, exec, first)
	awaitUngated(t, w, second)
}

// TestUnlabelled: what the guard has gated for another reason than its labels is also admitted and charged.
func TestUnlabelled(t *testing.T) {
	t.Parallel()
	w := enrol(t, "2Gi")
	operator.Use(t)
	d := driver(w, "submit")
	apply(t, d)
	p := executor(d, 1)
	p.Labels = nil
	apply(t, p)
	awaitUngated(t, w, d, p)
	counted(t, w, counts{applications: [2]int32{1, 0}, pods: [2]int32{2, 0}})
}

// TestLiftedByHand: who runs without having asked is charged all the same, also above quota.
func TestLiftedByHand(t *testing.T) {
	t.Parallel()
	w := enrol(t, "1Gi")
	operator.Use(t)
	first, second := driver(w, "first"), driver(w, "second")
	apply(t, first)
	awaitUngated(t, w, first)
	apply(t, second)
	told(t, second, "WaitingForQuota")
	ungate(t, second)
	counted(t, w, counts{applications: [2]int32{2, 0}, pods: [2]int32{2, 0}})
	third := driver(w, "third")
	apply(t, third)
	told(t, third, "WaitingForQuota")
	remove(t, first)
	counted(t, w, counts{applications: [2]int32{1, 1}, pods: [2]int32{1, 1}})
	remove(t, second)
	awaitUngated(t, w, third)
}

// TestDrained: when a queue is to be empty, what runs in it is deleted, and what is created again waits.
func TestDrained(t *testing.T) {
	t.Parallel()
	w := enrol(t, "4Gi")
	operator.Use(t)
	d := driver(w, "submit")
	d.Spec.TerminationGracePeriodSeconds = new(int64) // there is no kubelet that would end it
	apply(t, d)
	awaitUngated(t, w, d)
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.StopPolicy = v1alpha1.StopPolicyHoldAndDrain })
	told(t, d, "QueueHeld")
	harness.Gone(t, d)
	again := driver(w, "submit")
	apply(t, again)
	told(t, again, "QueueHeld", "stopPolicy")
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.StopPolicy = v1alpha1.StopPolicyNone })
	awaitUngated(t, w, again)
}

// TestNoQueue: the pod gets an event that names which queue does not exist, and continues when it comes, or when the namespace names another.
func TestNoQueue(t *testing.T) {
	t.Parallel()
	w := enrol(t, "4Gi")
	operator.Use(t)
	namespace(t, w, func(n *corev1.Namespace) { n.Annotations[v1alpha1.DefaultQueueAnnotation] = w.Namespace + "-late" })
	d := driver(w, "submit")
	apply(t, d)
	told(t, d, "ReferenceNotFound", w.Namespace+"-late")
	namespace(t, w, func(n *corev1.Namespace) { n.Annotations[v1alpha1.DefaultQueueAnnotation] = w.Queue.Name })
	awaitUngated(t, w, d)
}

// TestPodPolicy: pods of no application are held to what the namespace and its queue allow, and go on when that changes.
func TestPodPolicy(t *testing.T) {
	t.Parallel()
	w := enrol(t, "4Gi")
	operator.Use(t)
	open := harness.Queue(t, w.Namespace+"-open", "", "")
	say := func(key, value string) {
		t.Helper()
		namespace(t, w, func(n *corev1.Namespace) {
			if n.Annotations[key] = value; value == "" {
				delete(n.Annotations, key)
			}
		})
	}
	say(v1alpha1.DefaultQueueAnnotation, open.Name)
	d := driver(w, "submit")
	apply(t, d)
	told(t, d, "NamespaceNotAllowed", open.Name, "has no limits")
	say(v1alpha1.DefaultQueueAnnotation, w.Queue.Name)
	awaitUngated(t, w, d)

	say(v1alpha1.AllowedQueuesAnnotation, open.Name)
	second := driver(w, "second")
	apply(t, second)
	told(t, second, "NamespaceNotAllowed", `queue "`+w.Queue.Name+`" is not allowed`, `use one of "`+open.Name+`"`)
	say(v1alpha1.AllowedGatesAnnotation, "Kueue")
	say(v1alpha1.AllowedQueuesAnnotation, "")
	told(t, second, "WaitingForGate", `gate "Embedded" is not allowed`)
	say(v1alpha1.AllowedGatesAnnotation, "")
	awaitUngated(t, w, second)

	critical := driver(w, "critical")
	critical.Spec.PriorityClassName = "system-node-critical"
	apply(t, critical)
	told(t, critical, "InvalidSpec", `priority class "system-node-critical" is not allowed in queue `+w.Queue.Name)
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.PriorityClassNames = []string{"system-node-critical"} })
	awaitUngated(t, w, critical)
}

// TestTakenOut: what runs in a namespace that is no longer guarded is not charged.
func TestTakenOut(t *testing.T) {
	t.Parallel()
	w := enrol(t, "1Gi")
	operator.Use(t)
	d := driver(w, "submit")
	apply(t, d)
	awaitUngated(t, w, d)
	namespace(t, w, func(n *corev1.Namespace) { delete(n.Labels, v1alpha1.GuardedLabel) })
	w.Unused()
	namespace(t, w, func(n *corev1.Namespace) { n.Labels[v1alpha1.GuardedLabel] = "true" })
	counted(t, w, counts{applications: [2]int32{1, 0}, pods: [2]int32{1, 0}})
}

// TestOtherGates: in a guarded namespace a gate that does not let executors in one by one is refused, with the place where it was named;
// pods of no application get events that say why they are not admitted.
func TestOtherGates(t *testing.T) {
	t.Parallel()
	w := enrol(t, "4Gi")
	operator.Use(t)
	namespace(t, w, func(n *corev1.Namespace) { n.Annotations[v1alpha1.DefaultGateAnnotation] = "None" })
	d := driver(w, "submit")
	apply(t, d)
	told(t, d, "WaitingForGate", "is None, which admits applications only", "run this as a SparkApplication")
	app := w.Apply("pi")
	refused := func(where string) {
		t.Helper()
		want := "gate None (" + where + ") is not allowed in namespace " + w.Namespace + ", which is guarded (label sparkgate.io/guarded): set spec.queue.gate to Embedded or Kueue"
		harness.Eventually(t, app, "refused for "+where, func(a *v1alpha1.SparkApplication) bool { return harness.Message(a) == want })
	}
	refused("annotation sparkgate.io/default-gate of namespace " + w.Namespace)
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Queue.Gate = v1alpha1.GateNone })
	refused("spec.queue.gate")
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Queue.Gate = v1alpha1.GateEmbedded })
	w.Succeed(app)
	namespace(t, w, func(n *corev1.Namespace) { delete(n.Annotations, v1alpha1.DefaultGateAnnotation) })
	awaitUngated(t, w, d)
}

// TestRepeatedEvent: what is said about a pod for the same reason once more is one event, which counts.
func TestRepeatedEvent(t *testing.T) {
	t.Parallel()
	w := enrol(t, "4Gi")
	operator.Use(t)
	gate := func(name string) {
		namespace(t, w, func(n *corev1.Namespace) { n.Annotations[v1alpha1.DefaultGateAnnotation] = name })
	}
	gate("None")
	d := driver(w, "submit")
	apply(t, d)
	told(t, d, "WaitingForGate", "is None, which admits applications only")
	gate("Volcano")
	env.UntilSeen(t, "the event counts", func() (bool, []eventsv1.Event) {
		list := &eventsv1.EventList{}
		if err := env.Client().List(t.Context(), list, client.InNamespace(w.Namespace)); err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(list.Items, func(e eventsv1.Event) bool {
			return e.Regarding.UID == d.UID && e.Reason == "WaitingForGate" && e.Series != nil && e.Series.Count == 2
		}), list.Items
	})
}

// TestApplication: an application runs in a guarded namespace as anywhere; its executors wait behind the gate, and are let in with its
// grant. One that another driver has given its labels is not.
func TestApplication(t *testing.T) {
	t.Parallel()
	w := enrol(t, "4Gi")
	operator.Use(t)
	app := w.Apply("pi")
	d := w.Driver(app)
	if gated(d) || app.Status.Grant == nil || !app.Status.Grant.Gated {
		t.Fatalf("the driver is gated, or the grant is not: %s", harness.Show(app))
	}
	w.Run(app)
	stranger := driver(w, "stranger")
	apply(t, stranger)
	awaitUngated(t, w, stranger)
	forged := executor(stranger, 0)
	for key, value := range d.Labels {
		forged.Labels[key] = value
	}
	forged.Labels[v1alpha1.SparkRoleLabel] = v1alpha1.SparkRoleExecutor
	forged.Spec.Containers[0].Resources.Requests[corev1.ResourceMemory] = d.Spec.Containers[0].Resources.Requests[corev1.ResourceMemory]
	apply(t, forged)
	for _, exec := range w.Kubelet.Gated(t.Context(), d, 1, 2) {
		harness.Eventually(t, exec, "ungated", func(p *corev1.Pod) bool { return !gated(p) })
	}
	harness.Eventually(t, forged, "still waiting", gated)
	if owner := metav1.GetControllerOf(forged); owner == nil || owner.UID != stranger.UID {
		t.Errorf("the forged executor is owned by %v", owner)
	}
}
