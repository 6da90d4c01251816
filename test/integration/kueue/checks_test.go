// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// checked writes the state of the only admission check of a Workload, once Kueue has added the check.
func (w *world) checked(workload *kueuev1.Workload, change func(*kueuev1.AdmissionCheckState)) {
	w.t.Helper()
	eventually(w, workload, "checked", func(k *kueuev1.Workload) bool {
		if len(k.Status.AdmissionChecks) == 0 {
			return false
		}
		before := k.DeepCopy()
		change(&k.Status.AdmissionChecks[0])
		k.Status.AdmissionChecks[0].LastTransitionTime = metav1.Now()
		return w.client.Status().Patch(w.t.Context(), k, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})) == nil
	})
}

func rejected(c *kueuev1.AdmissionCheckState) {
	c.State, c.Message = kueuev1.CheckStateRejected, "no such nodes"
}

// rejectedByCheck: a check rejects an application before it starts, and while it runs. Kueue deactivates it, the message
// has the words of the check, and another run begins with the check.
func rejectedByCheck(t *testing.T) {
	w := newWorld(t, "3Gi", withCheck(t))
	app := w.apply("pi")
	w.waits(app, "Queued", "WaitingForGate", w.Namespace+" is Pending")
	w.checked(w.workload(app), rejected)
	w.waits(app, "Deactivated", "QueueHeld", "was deactivated", "no such nodes", "spec.suspend", "spec.runID")
	w.becomes(w.workload(app), "QuotaReserved=False", "Admitted=False")
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.RunID = "2" })
	w.waits(app, "Queued", "WaitingForGate", w.Namespace+" is Pending")
	w.pass(app)
	w.Run(app)
	w.checked(w.workload(app), rejected)
	w.waits(app, "Deactivated", "QueueHeld", "was deactivated", "no such nodes")
	w.NothingRuns()
	w.becomes(w.workload(app), "QuotaReserved=False", "Admitted=False")
	if a := app.Status.Attempts; len(a) != 1 || !strings.Contains(a[0].Message, "no such nodes") {
		t.Errorf("attempts %+v, want one that says why it was stopped", a)
	}
	change(w, w.workload(app), func(k *kueuev1.Workload) { k.Spec.Active = ptr.To(true) })
	w.waits(app, "Preempted", "WaitingForGate", w.Namespace+" is Pending")
	w.pass(app)
	w.Succeed(app)
}

// retriedByCheck: a check asks for another try later, before an application starts and while it runs. The application
// gives its quota back and asks again, and the check begins anew.
func retriedByCheck(t *testing.T) {
	w := newWorld(t, "3Gi", withCheck(t))
	app := w.apply("pi")
	w.waits(app, "Queued", "WaitingForGate", w.Namespace+" is Pending")
	again := func(c *kueuev1.AdmissionCheckState) {
		c.State, c.Message, c.RequeueAfterSeconds = kueuev1.CheckStateRetry, "no nodes now", ptr.To[int32](2)
	}
	w.checked(w.workload(app), again)
	w.waits(app, "Queued", "WaitingForGate", "has quota", w.Namespace+" is Pending", "Previously: Retry")
	w.pass(app)
	w.Run(app)
	if app.Status.Attempt != 1 || app.Status.Preemptions != 0 {
		t.Errorf("attempt %d, %d preemptions, though no pod existed", app.Status.Attempt, app.Status.Preemptions)
	}
	w.checked(w.workload(app), again)
	w.waits(app, "Preempted", "WaitingForGate", "has quota", w.Namespace+" is Pending")
	if a := app.Status.Attempts; len(a) != 1 || !strings.Contains(a[0].Message, "(AdmissionCheck)") || !strings.Contains(a[0].Message, "no nodes now") {
		t.Errorf("attempts %+v, want one that says why it was stopped", a)
	}
	w.pass(app)
	w.Succeed(app)
}

// reactivatedWhileItStops: Kueue deactivates an application that runs, and a user activates its Workload again while the
// pods are still ending. The application asks again when they have ended.
func reactivatedWhileItStops(t *testing.T) {
	var hold atomic.Bool
	hold.Store(true)
	kubelet := &harness.Kubelet{Run: harness.Manual, Hold: func(*corev1.Pod) bool { return hold.Load() }}
	w := &world{World: harness.NewWorld(t, "", kubelet), t: t, client: kueueClient(t)}
	w.queues("3Gi", withCheck(t))
	app := w.apply("pi")
	w.waits(app, "Queued", "WaitingForGate", w.Namespace+" is Pending")
	w.pass(app)
	w.Run(app)
	workload := w.workload(app)
	w.checked(workload, rejected)
	w.becomes(workload, "Evicted=True/DeactivatedDueTo")
	harness.Eventually(t, app, "stopping", harness.InStage(v1alpha1.FinalizingReason))
	change(w, workload, func(k *kueuev1.Workload) { k.Spec.Active = ptr.To(true) })
	hold.Store(false)
	harness.Eventually(t, app, "in its second attempt, whatever Workload Kueue has admitted", func(a *v1alpha1.SparkApplication) bool {
		for _, k := range w.workloads(a) {
			if before := k.DeepCopy(); len(k.Status.AdmissionChecks) > 0 {
				k.Status.AdmissionChecks[0].State, k.Status.AdmissionChecks[0].LastTransitionTime = kueuev1.CheckStateReady, metav1.Now()
				_ = w.client.Status().Patch(t.Context(), &k, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
			}
		}
		return a.Status.Attempt == 2 && a.Status.Grant != nil
	})
	w.Succeed(app)
}

// updatedByCheck: a check adds labels, annotations, tolerations and node labels to the pods. If it says something else
// after an eviction, the pods of the next attempt have only that.
func updatedByCheck(t *testing.T) {
	w := newWorld(t, "3Gi", withCheck(t))
	app := w.apply("pi")
	w.waits(app, "Queued", "WaitingForGate", w.Namespace+" is Pending")
	ready := func(nodes string) func(*kueuev1.AdmissionCheckState) {
		return func(c *kueuev1.AdmissionCheckState) {
			c.State = kueuev1.CheckStateReady
			c.PodSetUpdates = []kueuev1.PodSetUpdate{{
				Name: v1alpha1.DriverPodSet, Labels: map[string]string{"example.org/" + nodes: "yes"}, Annotations: map[string]string{"example.org/request": nodes},
				NodeSelector: map[string]string{"example.org/nodes": nodes}, Tolerations: []corev1.Toleration{{Key: nodes, Operator: corev1.TolerationOpExists}},
			}}
		}
	}
	for attempt, nodes := range []string{"first", "second"} {
		w.checked(w.workload(app), ready(nodes))
		driver := w.Run(app)
		if diff := cmp.Diff(map[string]string{"pool": w.Namespace, "example.org/nodes": nodes}, driver.Spec.NodeSelector); diff != "" {
			t.Errorf("node selector of attempt %d (-want +got):\n%s", attempt+1, diff)
		}
		_, first := driver.Labels["example.org/first"]
		if first != (nodes == "first") || driver.Labels["example.org/"+nodes] != "yes" || driver.Annotations["example.org/request"] != nodes {
			t.Errorf("labels %v, annotations %v of attempt %d", driver.Labels, driver.Annotations, attempt+1)
		}
		if nodes == "first" {
			w.stop(kueuev1.HoldAndDrain)
			w.waits(app, "Preempted", "QueueHeld")
			w.stop(kueuev1.None)
			w.waits(app, "Preempted", "WaitingForGate", w.Namespace+" is Pending")
		}
	}
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
}

// drainedLocalQueue: the stop policy of a LocalQueue concerns its applications, and not those of another LocalQueue.
func drainedLocalQueue(t *testing.T) {
	w := newWorld(t, "6Gi")
	w.localQueue("other", w.Namespace)
	app, other := w.apply("pi"), w.apply("other", inQueue("other"))
	w.Run(app)
	w.Run(other)
	stop := func(policy kueuev1.StopPolicy) {
		q := &kueuev1.LocalQueue{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: w.Namespace}}
		change(w, q, func(q *kueuev1.LocalQueue) { q.Spec.StopPolicy = &policy })
	}
	stop(kueuev1.HoldAndDrain)
	w.waits(app, "Preempted", "QueueHeld", "LocalQueue "+w.Namespace+"/"+w.Namespace, "HoldAndDrain")
	late := w.apply("late")
	w.waits(late, "Queued", "QueueHeld", "HoldAndDrain")
	stop(kueuev1.None)
	w.SucceedAll(app, late)
	if other.Status.Preemptions != 0 {
		t.Error("the application of the other LocalQueue was stopped")
	}
	w.Kubelet.Finish(t.Context(), w.Driver(other), 0, "Completed")
	w.Reach(other, "Succeeded")
}

// deletedClusterQueue: a ClusterQueue that is deleted while it has an application stays until that ends, and the next
// one of that name admits the application that waits.
func deletedClusterQueue(t *testing.T) {
	w := newWorld(t, "3Gi")
	app := w.apply("pi")
	w.Run(app)
	queue := &kueuev1.ClusterQueue{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}
	if err := w.client.Delete(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	waiting := w.apply("waiting")
	w.waits(waiting, "Queued", "QueueHeld", "ClusterQueue "+w.Namespace+" is being deleted")
	harness.Eventually(t, app, "untouched", harness.InStage("Running"))
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
	harness.GoneWith(t, w.client, queue)
	w.waits(waiting, "ReferenceNotFound", "", "ClusterQueue", w.Namespace)
	w.clusterQueue(w.Namespace, "3Gi")
	w.Succeed(waiting)
}

// gatedAdmission: the annotation that holds back Kueue's own kinds of jobs also holds back an application, until it is
// removed.
func gatedAdmission(t *testing.T) {
	w := newWorld(t, "3Gi")
	app := w.apply("pi", func(a *v1alpha1.SparkApplication) {
		a.Annotations = map[string]string{"kueue.x-k8s.io/admission-gated-by": "example.org/budget,example.org/data"}
	})
	w.waits(app, "Queued", "WaitingForGate", "gated by: example.org/budget,example.org/data")
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) {
		a.Annotations["kueue.x-k8s.io/admission-gated-by"] = "example.org/data"
	})
	eventually(w, w.workload(app), "without the first gate", func(k *kueuev1.Workload) bool {
		return k.Annotations["kueue.x-k8s.io/admission-gated-by"] == "example.org/data"
	})
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Annotations = nil })
	w.Succeed(app)
}

// unlabelled: a user removes the label by which the operator watches a Workload. The operator sees that as a deletion, and
// the Workload is in fact deleted, or nothing would ever release its quota.
func unlabelled(t *testing.T) {
	w := newWorld(t, "6Gi")
	app := w.apply("pi")
	w.Run(app)
	workload := w.workload(app)
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:null}}}`, v1alpha1.AttemptLabel)
	if err := w.client.Patch(t.Context(), workload.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, app, "asking again", func(a *v1alpha1.SparkApplication) bool { return a.Status.Attempt == 2 })
	harness.GoneWith(t, w.client, workload)
	w.Run(app)
	w.uses(w.Namespace, 3)
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
	w.uses(w.Namespace, 0)
}
