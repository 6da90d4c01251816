// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"slices"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestExceedsQuota: an ask that the queue could never hold stalls at once, with the numbers, and clears itself when the quota grows or
// the ask shrinks.
func TestExceedsQuota(t *testing.T) {
	t.Parallel()
	for name, clear := range map[string]func(*testing.T, *harness.World, *v1alpha1.SparkApplication){
		"the quota grows": func(t *testing.T, w *harness.World, _ *v1alpha1.SparkApplication) { setMemory(t, w.Queue, "3Gi") },
		"the ask shrinks": func(t *testing.T, _ *harness.World, app *v1alpha1.SparkApplication) {
			harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Executor.Instances = ptr.To[int32](1) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "2Gi", nil)
			operator.Use(t)
			app := w.Apply("pi")
			w.Reach(app, "ExceedsQuota")
			waits(t, app, "ExceedsQuota", "memory 2.625Gi", "never use more than 2Gi", "raise nominal of queue "+w.Queue.Name+" by memory 640Mi")
			if len(app.Finalizers) > 0 {
				t.Errorf("a finalizer on what holds nothing: %v", app.Finalizers)
			}
			clear(t, w, app)
			w.Succeed(app)
			w.Unused()
		})
	}
}

// TestQuotaIsCut: nothing that runs is touched; nothing starts until it fits below the new limit.
func TestQuotaIsCut(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "6Gi", nil)
	operator.Use(t)
	first, second := w.Apply("first"), w.Apply("second")
	w.Run(first)
	w.Run(second)
	third := w.Apply("third")
	waits(t, third, "WaitingForQuota", "at most 6Gi")
	setMemory(t, w.Queue, "3Gi")
	waits(t, third, "WaitingForQuota", "at most 3Gi")
	harness.Eventually(t, w.Queue, "above its quota", func(q *v1alpha1.SparkQueue) bool { return q.Status.Summary["memory"] == "5.25Gi/3Gi" })
	finish(t, w, first)
	counted(t, w.Queue, 1, 1)
	waits(t, third, "WaitingForQuota", "at most 3Gi")
	finish(t, w, second)
	w.Succeed(third)
	w.Unused()
}

// TestHold: a held queue, or one below it, admits nothing; what runs continues.
func TestHold(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	root := harness.Queue(t, w.Namespace+"-root", "", "")
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.Parent = root.Name })
	running := w.Apply("running")
	w.Run(running)
	for _, held := range []*v1alpha1.SparkQueue{w.Queue, root} {
		harness.Change(t, held, func(q *v1alpha1.SparkQueue) { q.Spec.StopPolicy = v1alpha1.StopPolicyHold })
		harness.Eventually(t, held, "seen", func(q *v1alpha1.SparkQueue) bool { return q.Status.ObservedGeneration == q.Generation })
		app := w.Apply("below-" + held.Name[len(w.Namespace):] + "x")
		waits(t, app, "QueueHeld", "queue "+held.Name, "Hold")
		harness.Change(t, held, func(q *v1alpha1.SparkQueue) { q.Spec.StopPolicy = v1alpha1.StopPolicyNone })
		w.Succeed(app)
	}
	finish(t, w, running)
	w.Unused()
}

// TestMaxRunning: the queue takes so many applications and no more, whatever their size.
func TestMaxRunning(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "", nil)
	operator.Use(t)
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.MaxRunning = ptr.To[int32](1) })
	harness.Eventually(t, w.Queue, "seen", func(q *v1alpha1.SparkQueue) bool { return q.Status.ObservedGeneration == q.Generation })
	first := w.Apply("first")
	w.Run(first)
	second := w.Apply("second")
	waits(t, second, "MaxRunning", w.Queue.Name, "reached its maxRunning of 1")
	finish(t, w, first)
	w.Succeed(second)
}

// TestBorrowing: a queue uses what its neighbour does not, up to its limit; when quota is released, what stays within the own quota goes first.
func TestBorrowing(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "", nil)
	w.History.MemoryLimit = 6 << 30
	operator.Use(t)
	root := w.Queue
	a, b := harness.Queue(t, w.Namespace+"-a", root.Name, "3Gi"), harness.Queue(t, w.Namespace+"-b", root.Name, "3Gi")
	harness.Change(t, b, func(q *v1alpha1.SparkQueue) {
		q.Spec.Preemption = &v1alpha1.QueuePreemption{ReclaimWithinTree: v1alpha1.PreemptNever}
	})
	first, second := w.Apply("first", in(a)), w.Apply("second", in(a))
	w.Run(first)
	w.Run(second)
	harness.Eventually(t, a, "borrowing", func(q *v1alpha1.SparkQueue) bool {
		return slices.ContainsFunc(q.Status.Usage, func(u v1alpha1.QueueUsage) bool {
			return u.Resource == "memory" && u.Flavor == "default" && u.Borrowed != nil && u.Borrowed.String() == "2304Mi"
		})
	})
	harness.Eventually(t, root, "the sum of its children", func(q *v1alpha1.SparkQueue) bool {
		return q.Status.Summary["memory"] == "5.25Gi/6Gi" && q.Status.Admitted == 2
	})
	third := w.Apply("third", in(a))
	waits(t, third, "WaitingForQuota", "memory 2.625Gi")
	fourth := w.Apply("fourth", in(b))
	waits(t, fourth, "WaitingForQuota", "memory 2.625Gi", "queue "+root.Name)
	finish(t, w, first)
	w.Run(fourth)
	waits(t, third, "WaitingForQuota")
	finish(t, w, second)
	w.Run(third)
}

// TestBorrowingLimit: 0 closes the queue for what is its neighbour's.
func TestBorrowingLimit(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "", nil)
	operator.Use(t)
	a, b := harness.Queue(t, w.Namespace+"-a", w.Queue.Name, "3Gi"), harness.Queue(t, w.Namespace+"-b", w.Queue.Name, "3Gi")
	harness.Change(t, a, func(q *v1alpha1.SparkQueue) { q.Spec.Unlimited, q.Spec.Flavors = false, memory("3Gi", "0") })
	harness.Eventually(t, a, "seen", func(q *v1alpha1.SparkQueue) bool { return q.Status.ObservedGeneration == q.Generation })
	w.Run(w.Apply("first", in(a)))
	waits(t, w.Apply("second", in(a)), "WaitingForQuota", "at most 3Gi", "borrowing 0")
	w.Run(w.Apply("third", in(b)))
	counted(t, a, 1, 1)
	counted(t, b, 1, 0)
	counted(t, w.Queue, 2, 1)
}
