// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package elastic

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestGrowAndShrink is the story of an application that grows into what is free, says why it gets no more, grows on when another one
// has ended, and gives back what its driver lets go.
func TestGrowAndShrink(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, harness.MemoryFor(7), nil)
	w.History.MemoryLimit = 7 * harness.PodMemory
	operator.Use(t)
	other := w.Apply("other", small)
	otherDriver := w.Run(other)
	app := w.Apply("app", harness.Elastic)
	driver := w.Run(app)
	granted(t, app, map[string]int32{"driver": 1, "executor": 1})
	uses(t, w.Queue, 4)

	made := w.Kubelet.Gated(t.Context(), driver, 1, 2, 3, 4, 5, 6)
	harness.ExecutorsAre(t, app, 4, 2, "wait for quota", "memory 896Mi", "queue "+w.Queue.Name, "may use at most 6.125Gi")
	granted(t, app, map[string]int32{"driver": 1, "executor": 1, "+default": 3})
	if diff := gocmp.Diff([]string{"1", "2", "3", "4"}, ungated(t, app)); diff != "" {
		t.Errorf("executors that were let in (-want +got):\n%s", diff)
	}
	uses(t, w.Queue, 7)

	w.Kubelet.Finish(t.Context(), otherDriver, 0, "Completed")
	w.Reach(other, v1alpha1.SucceededReason)
	harness.ExecutorsAre(t, app, 6, 0)
	granted(t, app, map[string]int32{"driver": 1, "executor": 1, "+default": 5})

	w.Kubelet.LetGo(t.Context(), made[3:]...)
	granted(t, app, map[string]int32{"driver": 1, "executor": 1, "+default": 2})
	uses(t, w.Queue, 4)
	w.Kubelet.LetGo(t.Context(), made[:3]...)
	granted(t, app, map[string]int32{"driver": 1, "executor": 1})
	w.Kubelet.Gated(t.Context(), driver, 7)
	harness.ExecutorsAre(t, app, 1, 0)
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, v1alpha1.SucceededReason)
	w.Unused()
	uses(t, w.Queue, 0)
}

// TestReclaim: another queue takes its own quota back. Only as many executors go as it needs, the newest; the run survives, and grows again
// when the other one has ended.
func TestReclaim(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "", nil)
	w.History.MemoryLimit = 7 * harness.PodMemory
	operator.Use(t)
	a, b := harness.Queue(t, w.Namespace+"-a", w.Queue.Name, harness.MemoryFor(3)), harness.Queue(t, w.Namespace+"-b", w.Queue.Name, harness.MemoryFor(4))
	app := w.Apply("app", harness.Elastic, in(a))
	driver := w.Run(app)
	w.Kubelet.Gated(t.Context(), driver, 1, 2, 3, 4, 5, 6)
	harness.ExecutorsAre(t, app, 6, 0)
	uses(t, w.Queue, 7)

	lender := w.Apply("lender", small, in(b))
	lenderDriver := w.Run(lender)
	harness.ExecutorsAre(t, app, 4, 0)
	if diff := gocmp.Diff([]string{"1", "2", "3", "4"}, ungated(t, app)); diff != "" {
		t.Errorf("executors that are left (-want +got):\n%s", diff)
	}
	granted(t, app, map[string]int32{"driver": 1, "executor": 1, "+default": 3})
	if app.Status.Executors.Failed != 0 || app.Status.Preemptions != 0 || harness.Stage(app) != v1alpha1.RunningReason {
		t.Errorf("the run has not survived in order: %s", harness.Show(app))
	}

	w.Kubelet.Gated(t.Context(), driver, 7, 8)
	harness.ExecutorsAre(t, app, 4, 2, "others hold the rest")
	w.Kubelet.Finish(t.Context(), lenderDriver, 0, "Completed")
	w.Reach(lender, v1alpha1.SucceededReason)
	harness.ExecutorsAre(t, app, 6, 0)
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, v1alpha1.SucceededReason)
	w.Unused()
}

// TestBaseGangsFirst: while an application waits in the queue for its base gang, no other of the same priority grows.
func TestBaseGangsFirst(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, harness.MemoryFor(4), nil)
	w.History.MemoryLimit = 4 * harness.PodMemory
	operator.Use(t)
	app := w.Apply("app", harness.Elastic)
	driver := w.Run(app)
	waiting := w.Apply("waiting") // three pods, where two are free
	w.Reach(waiting, v1alpha1.QueuedReason)
	w.Kubelet.Gated(t.Context(), driver, 1, 2)
	harness.ExecutorsAre(t, app, 1, 1, "pending asks of queue "+w.Queue.Name+" come first")
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, v1alpha1.SucceededReason)
	w.Succeed(waiting)
}

// TestFlavors: executors above the base gang may be placed elsewhere, and get what places them there when their gates are lifted.
func TestFlavors(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, harness.MemoryFor(3), nil)
	operator.Use(t)
	spot := &v1alpha1.SparkFlavor{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace + "-spot"}, Spec: v1alpha1.SparkFlavorSpec{
		NodeLabels:  map[string]string{"example.com/pool": "spot"},
		Tolerations: []corev1.Toleration{{Key: "example.com/spot", Operator: corev1.TolerationOpExists}},
	}}
	harness.Create(t, spot)
	t.Cleanup(func() { _ = env.Client().Delete(t.Context(), spot) })
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) {
		q.Spec.Flavors = append(q.Spec.Flavors, v1alpha1.FlavorQuota{Name: spot.Name, Quotas: []v1alpha1.ResourceQuota{
			{Resource: "memory", Nominal: resource.MustParse(harness.MemoryFor(1))},
		}})
	})
	app := w.Apply("app", harness.Elastic)
	driver := w.Run(app)
	made := w.Kubelet.Gated(t.Context(), driver, 1, 2, 3, 4)
	harness.ExecutorsAre(t, app, 3, 1, "wait for quota")
	granted(t, app, map[string]int32{"driver": 1, "executor": 1, "+default": 1, "+" + spot.Name: 1})
	for i, want := range []string{"default", "default", spot.Name} {
		pod := &corev1.Pod{}
		if err := env.Client().Get(t.Context(), keyOf(made[i]), pod); err != nil {
			t.Fatal(err)
		}
		onSpot := pod.Spec.NodeSelector["example.com/pool"] == "spot" && tolerates(pod, "example.com/spot")
		if pod.Labels[v1alpha1.FlavorLabel] != want || onSpot != (want == spot.Name) {
			t.Errorf("%s: flavor %q, node selector %v, tolerations %v; want %s", pod.Name, pod.Labels[v1alpha1.FlavorLabel],
				pod.Spec.NodeSelector, pod.Spec.Tolerations, want)
		}
	}
}

// TestTooLarge: an executor for which the program asks more than the spec says stays behind its gate, and its application says so; the
// others run.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, harness.MemoryFor(7), nil)
	operator.Use(t)
	app := w.Apply("app", harness.Elastic)
	driver := w.Run(app)
	large := driver.DeepCopy()
	large.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("2")
	large.Spec.Containers[0].Resources.Limits = nil
	w.Kubelet.Gated(t.Context(), large, 1)
	w.Kubelet.Gated(t.Context(), driver, 2, 3)
	harness.ExecutorsAre(t, app, 2, 1, "-exec-1 stays behind its scheduling gate", "cpu 2", "200m")
	granted(t, app, map[string]int32{"driver": 1, "executor": 1, "+default": 1})
}

// TestGuarded: in a guarded namespace executors of every application wait behind the gate.
func TestGuarded(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, harness.MemoryFor(3), nil)
	operator.Use(t)
	harness.Change(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}, func(n *corev1.Namespace) {
		n.Labels[v1alpha1.GuardedLabel] = "true"
	})
	app := w.Apply("app")
	driver := w.Run(app)
	granted(t, app, map[string]int32{"driver": 1, "executor": 2})
	if !app.Status.Grant.Gated {
		t.Errorf("the grant is not gated: %s", harness.Show(app))
	}
	w.Kubelet.Gated(t.Context(), driver, 1, 2)
	harness.ExecutorsAre(t, app, 2, 0)
}

// TestOnNoNode: without the guard, every user who may create pods may add some to the executors of a driver, without a scheduling gate, of any size
// and on a node that does not exist. They use nothing, so they take no quota that others of the queue wait for.
func TestOnNoNode(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, harness.MemoryFor(5), nil)
	operator.Use(t)
	app := w.Apply("app", harness.Elastic)
	driver := w.Run(app)
	granted(t, app, map[string]int32{"driver": 1, "executor": 1})
	made := w.Kubelet.Gated(t.Context(), driver, 1)
	harness.ExecutorsAre(t, app, 1, 0)
	forged := made[0].DeepCopy()
	forged.ObjectMeta = metav1.ObjectMeta{Namespace: w.Namespace, Name: "forged", Labels: made[0].Labels, OwnerReferences: made[0].OwnerReferences}
	delete(forged.Labels, v1alpha1.FlavorLabel)
	forged.Spec.SchedulingGates, forged.Spec.NodeName = nil, harness.NoNode
	forged.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("100Gi")}}
	harness.Create(t, forged)
	other := w.Apply("other")
	w.Run(other)
	granted(t, app, map[string]int32{"driver": 1, "executor": 1})
}
