// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"strings"
	"testing"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// becomes waits until a queue is in a state, that speaks of its current spec, with a message that has all the words, and asks kstatus.
func becomes(t *testing.T, queue *v1alpha1.SparkQueue, reason, kstatus string, words ...string) {
	t.Helper()
	harness.Eventually(t, queue, reason, func(q *v1alpha1.SparkQueue) bool {
		ready := apimeta.FindStatusCondition(q.Status.Conditions, v1alpha1.ReadyCondition)
		return ready != nil && ready.Reason == reason && q.Status.ObservedGeneration == q.Generation && hasAll(ready.Message, words)
	})
	if got, err := harness.KstatusOfQueue(queue); err != nil || got != kstatus {
		t.Errorf("kstatus says %s (%v), want %s: %s", got, err, kstatus, harness.Show(queue))
	}
}

// TestQueueWithoutParent: the queue and its applications say which parent is missing, until it comes.
func TestQueueWithoutParent(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	becomes(t, w.Queue, "Active", "Current")
	root := w.Namespace + "-root"
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.Parent = root })
	becomes(t, w.Queue, "ParentNotFound", "InProgress", root)
	app := w.Apply("pi")
	missing(t, app, w.Queue.Name, root)
	above := harness.Queue(t, root, "", "")
	becomes(t, w.Queue, "Active", "Current")
	w.Run(app)
	counted(t, above, 1, 0)
	remove(t, above)
	becomes(t, w.Queue, "ParentNotFound", "InProgress", root)
	finish(t, w, app)
	w.Unused()
}

// TestCycleOfQueues: every queue of the circle says so; breaking it anywhere mends all.
func TestCycleOfQueues(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	other := harness.Queue(t, w.Namespace+"-other", w.Queue.Name, "")
	becomes(t, other, "Active", "Current")
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.Parent = other.Name })
	becomes(t, w.Queue, "Cycle", "Failed", w.Queue.Name, other.Name)
	becomes(t, other, "Cycle", "Failed", w.Queue.Name, other.Name)
	app := w.Apply("pi")
	missing(t, app, "its own ancestor")
	harness.Change(t, other, func(q *v1alpha1.SparkQueue) { q.Spec.Parent = "" })
	becomes(t, w.Queue, "Active", "Current")
	becomes(t, other, "Active", "Current")
	w.Succeed(app)
}

// TestUnreadableSelector: it is named, with its value and what to do.
func TestUnreadableSelector(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) {
		q.Spec.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"-": "not a label"}}
	})
	becomes(t, w.Queue, "InvalidSpec", "Failed", "spec.namespaceSelector")
}

// TestColumnsOfQueues: `kubectl get sgq -o wide` answers what is used of what, by which queue, and what waits.
func TestColumnsOfQueues(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) {
		q.Spec.Weight = ptr.To[int32](2)
		q.Spec.Flavors[0].Quotas = append(q.Spec.Flavors[0].Quotas, memory("1500m", "")[0].Quotas[0])
		q.Spec.Flavors[0].Quotas[1].Resource = "cpu"
	})
	becomes(t, w.Queue, "Active", "Current")
	w.Run(w.Apply("first"))
	waits(t, w.Apply("second"), "WaitingForQuota")
	counted(t, w.Queue, 1, 1)
	out, err := env.Kubectl(t, "get", "sgq", "-o", "wide", w.Queue.Name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	want := w.Queue.Name + " True 1 1 0.6/1.5 2.625Gi/3Gi"
	if got := strings.Join(strings.Fields(lines[len(lines)-1]), " "); !strings.HasPrefix(got, want) {
		t.Errorf("kubectl get says %q, want it to begin with %q", got, want)
	}
}

// TestQueueBeforeTheOperatorLooks: a health checker waits for the operator's first look also at a queue.
func TestQueueBeforeTheOperatorLooks(t *testing.T) {
	t.Parallel()
	queue := &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{GenerateName: "unseen-"}}
	harness.Create(t, queue)
	if queue.Status.ObservedGeneration != -1 {
		t.Errorf("observedGeneration %d, want -1", queue.Status.ObservedGeneration)
	}
	if got, err := harness.KstatusOfQueue(queue); err != nil || got != "InProgress" {
		t.Errorf("kstatus says %s (%v), want InProgress", got, err)
	}
}

// TestQueuesSayWhetherTheyAdmit: a look at the queues shows which of them admit nothing, and which queue keeps them from it.
func TestQueuesSayWhetherTheyAdmit(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	says := func(q *v1alpha1.SparkQueue, want string) {
		t.Helper()
		harness.Eventually(t, q, "saying "+want, func(q *v1alpha1.SparkQueue) bool {
			ready := apimeta.FindStatusCondition(q.Status.Conditions, v1alpha1.ReadyCondition)
			return ready != nil && ready.Status == metav1.ConditionTrue && strings.HasPrefix(ready.Message, want)
		})
	}
	says(w.Queue, "admits applications")
	child := harness.Queue(t, w.Namespace+"-child", w.Queue.Name, "3Gi")
	says(child, "admits applications")
	says(w.Queue, "shares its quota among the queues below it")
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.StopPolicy = v1alpha1.StopPolicyHold })
	says(w.Queue, "held: spec.stopPolicy is Hold")
	says(child, "held: spec.stopPolicy of queue "+w.Queue.Name+" above it is Hold")
	harness.Change(t, child, func(q *v1alpha1.SparkQueue) { q.Spec.StopPolicy = v1alpha1.StopPolicyHoldAndDrain })
	says(child, "drained: spec.stopPolicy is HoldAndDrain")
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.StopPolicy = v1alpha1.StopPolicyNone })
	harness.Change(t, child, func(q *v1alpha1.SparkQueue) { q.Spec.StopPolicy = v1alpha1.StopPolicyNone })
	says(child, "admits applications")
}
