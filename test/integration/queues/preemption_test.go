// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// displaced waits until an application has released its quota and waits again, and says what took it.
func displaced(t *testing.T, app *v1alpha1.SparkApplication, words ...string) {
	t.Helper()
	harness.Eventually(t, app, "displaced", func(a *v1alpha1.SparkApplication) bool {
		return harness.Stage(a) == v1alpha1.PreemptedReason && hasAll(harness.Message(a), words)
	})
	if s := app.Status; s.Grant != nil || s.Preemptions != 1 || s.Failures != 0 {
		t.Errorf("grant %v, preemptions %d, failures %d; want none, 1, 0", s.Grant, s.Preemptions, s.Failures)
	}
	last := app.Status.Attempts[len(app.Status.Attempts)-1]
	if last.Outcome != v1alpha1.OutcomeStopped || last.Reason != v1alpha1.PreemptedReason {
		t.Errorf("last attempt %+v", last)
	}
}

// TestReclaim: what a queue has lent it takes back for its own work; what gave it back runs again when it fits, as another attempt
// of the same run. In pods, the quota is never exceeded.
func TestReclaim(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "", nil)
	w.History.MemoryLimit = 6 << 30
	operator.Use(t)
	a, b := harness.Queue(t, w.Namespace+"-a", w.Queue.Name, "3Gi"), harness.Queue(t, w.Namespace+"-b", w.Queue.Name, "3Gi")
	first := w.Apply("first", in(a))
	w.Run(first)
	second := w.Apply("second", in(a))
	w.Run(second)
	lender := w.Apply("lender", in(b))
	displaced(t, second, "lender", "queue "+b.Name+" reclaims quota that queue "+a.Name+" borrowed")
	w.Run(lender)
	harness.Eventually(t, first, "untouched", harness.InStage(v1alpha1.RunningReason))
	waits(t, second, "WaitingForQuota", "memory 2.625Gi")
	finish(t, w, first)
	w.Succeed(second)
	if diff := gocmp.Diff(map[string]int{"1/1": 1, "1/2": 1}, w.Kubelet.Created(second.UID)); diff != "" {
		t.Errorf("drivers by attempt (-want +got):\n%s", diff)
	}
	finish(t, w, lender)
	w.Unused()
}

// TestPriorityDisplaces: where the queue says so, a higher priority takes the quota of a lower one.
func TestPriorityDisplaces(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	w.History.MemoryLimit = 3 << 30
	operator.Use(t)
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) {
		q.Spec.Preemption = &v1alpha1.QueuePreemption{WithinQueue: v1alpha1.PreemptLowerPriority}
	})
	high := priorityClass(t, 100)
	low := w.Apply("low")
	w.Run(low)
	same := w.Apply("same")
	waits(t, same, "WaitingForQuota")
	urgent := w.Apply("urgent", func(a *v1alpha1.SparkApplication) { a.Spec.Queue.PriorityClassName = high })
	displaced(t, low, "urgent", "priority 100 is higher than 0")
	w.Succeed(urgent)
	w.SucceedAll(low, same)
	w.Unused()
}

// TestDrain: HoldAndDrain stops what runs, and lets it go on when the queue is open again.
func TestDrain(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "6Gi", nil)
	operator.Use(t)
	first, second := w.Apply("first"), w.Apply("second")
	w.Run(first)
	w.Run(second)
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.StopPolicy = v1alpha1.StopPolicyHoldAndDrain })
	displaced(t, first, "queue "+w.Queue.Name+" is drained")
	displaced(t, second, "stopPolicy HoldAndDrain")
	waits(t, first, "QueueHeld", "stopPolicy HoldAndDrain")
	counted(t, w.Queue, 0, 2)
	w.NothingRuns()
	becomes(t, w.Queue, "Active", "Current")
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.StopPolicy = v1alpha1.StopPolicyNone })
	w.SucceedAll(first, second)
	w.Unused()
}

// TestFlavors: pods carry node selector and toleration of the flavor that they are charged to; one that does not exist is named.
func TestFlavors(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	spot := w.Namespace + "-spot"
	quota := memory("3Gi", "")
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) {
		q.Spec.Flavors = []v1alpha1.FlavorQuota{{Name: spot, Quotas: quota[0].Quotas}, quota[0]}
	})
	becomes(t, w.Queue, "FlavorNotFound", "InProgress", "flavor "+spot+" does not exist", "apply a SparkFlavor")
	flavor := &v1alpha1.SparkFlavor{ObjectMeta: metav1.ObjectMeta{Name: spot}}
	flavor.Spec.NodeLabels = map[string]string{"pool": spot}
	flavor.Spec.NodeTaints = []corev1.Taint{{Key: "spot", Value: "yes", Effect: corev1.TaintEffectNoSchedule}}
	flavor.Spec.Tolerations = []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists}}
	harness.Create(t, flavor)
	becomes(t, w.Queue, "Active", "Current")

	first := w.Apply("first")
	w.Driver(first)
	second := w.Apply("second")
	for app, want := range map[*v1alpha1.SparkApplication]string{first: spot, second: v1alpha1.DefaultFlavor} {
		driver := w.Driver(app)
		for _, set := range app.Status.Grant.PodSets {
			if set.Flavor != want {
				t.Errorf("%s of %s in flavor %s, want %s", set.Name, app.Name, set.Flavor, want)
			}
		}
		if placed := driver.Spec.NodeSelector["pool"] == spot; placed != (want == spot) {
			t.Errorf("driver of %s selects %v", app.Name, driver.Spec.NodeSelector)
		}
		tolerates := slices.ContainsFunc(driver.Spec.Tolerations, func(tol corev1.Toleration) bool { return tol.Key == "spot" })
		if tolerates != (want == spot) {
			t.Errorf("driver of %s tolerates %v", app.Name, driver.Spec.Tolerations)
		}
	}
	choosy := w.Apply("choosy", func(a *v1alpha1.SparkApplication) {
		a.Spec.Queue.Flavors = &v1alpha1.FlavorChoice{Executor: []string{"gpu"}}
	})
	waits(t, choosy, "FlavorMismatch", "fits the executor pods", "requested flavors (gpu)")
	if err := env.Client().Delete(t.Context(), flavor); err != nil {
		t.Fatal(err)
	}
	becomes(t, w.Queue, "FlavorNotFound", "InProgress")
	w.SucceedAll(first, second)
}

// TestFairSharing: children of a fair queue that always have work come to hold quota by their weights.
func TestFairSharing(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "11Gi", nil) // four at a time
	operator.Use(t)
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.FairSharing = &v1alpha1.FairSharing{} })
	a, b := harness.Queue(t, w.Namespace+"-a", w.Queue.Name, ""), harness.Queue(t, w.Namespace+"-b", w.Queue.Name, "")
	weight := int32(3)
	harness.Change(t, b, func(q *v1alpha1.SparkQueue) { q.Spec.Weight = &weight })
	for _, name := range []string{"a1", "a2", "a3", "a4"} {
		w.Run(w.Apply(name, in(a)))
	}
	for _, name := range []string{"b1", "b2", "b3", "b4"} {
		waits(t, w.Apply(name, in(b)), "WaitingForQuota")
	}
	waits(t, w.Apply("a5", in(a)), "WaitingForQuota")
	for i, name := range []string{"a1", "a2", "a3"} {
		finish(t, w, w.Pi(name))
		counted(t, a, int32(3-i), 1)
		counted(t, b, int32(1+i), int32(3-i))
	}
	finish(t, w, w.Pi("a4"))
	counted(t, a, 1, 0)
	counted(t, b, 3, 1)
}

// TestFairPreemption: where the parent says so, a queue takes its share back from one that holds more, as far as that
// makes the shares more even, and no further.
func TestFairPreemption(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "11Gi", nil) // four at a time
	w.History.MemoryLimit = 11 << 30
	operator.Use(t)
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) {
		q.Spec.FairSharing = &v1alpha1.FairSharing{Preemption: v1alpha1.FairPreemptionLessThanOrEqualToFinalShare}
	})
	a, b := harness.Queue(t, w.Namespace+"-a", w.Queue.Name, ""), harness.Queue(t, w.Namespace+"-b", w.Queue.Name, "")
	var of []*v1alpha1.SparkApplication
	for _, name := range []string{"a1", "a2", "a3", "a4"} {
		of = append(of, w.Apply(name, in(a)))
		w.Run(of[len(of)-1])
	}
	first := w.Apply("b1", in(b))
	displaced(t, of[3], "b1", "queue "+a.Name+" is above its fair share of queue "+w.Queue.Name)
	w.Run(first)
	second := w.Apply("b2", in(b))
	displaced(t, of[2], "b2")
	w.Run(second)
	waits(t, w.Apply("b3", in(b)), "WaitingForQuota")
	counted(t, a, 2, 2)
	counted(t, b, 2, 1)
	for _, app := range of[:2] {
		harness.Eventually(t, app, "untouched", harness.InStage(v1alpha1.RunningReason))
	}
}
