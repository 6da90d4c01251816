// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

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

// uses waits until Kueue counts so many pods in a ClusterQueue.
func (w *world) uses(name string, pods int64) {
	w.t.Helper()
	want := resource.NewQuantity(pods*harness.PodMemory, resource.BinarySI)
	queue := &kueuev1.ClusterQueue{ObjectMeta: metav1.ObjectMeta{Name: name}}
	eventually(w, queue, "at a use of "+want.String(), func(q *kueuev1.ClusterQueue) bool {
		var used resource.Quantity
		for _, f := range q.Status.FlavorsUsage {
			for _, r := range f.Resources {
				if r.Name == corev1.ResourceMemory {
					used.Add(r.Total)
				}
			}
		}
		return used.Cmp(*want) == 0
	})
}

// chunks waits until an application has so many Workloads beside that of its base gang, and returns them.
func (w *world) chunks(app *v1alpha1.SparkApplication, count int) (chunks []kueuev1.Workload) {
	w.t.Helper()
	harness.Eventually(w.t, app, fmt.Sprintf("with %d Workloads for executors above the base gang", count), func(a *v1alpha1.SparkApplication) bool {
		chunks = slices.DeleteFunc(w.workloads(a), func(k kueuev1.Workload) bool { return k.Annotations["sparkgate.io/chunk"] == "" })
		return len(chunks) == count
	})
	return chunks
}

// growsAndShrinks plays an application that grows into Kueue's free quota, says why it gets no more, grows again when
// another one has ended, and releases quota when its driver deletes executors.
func growsAndShrinks(t *testing.T) {
	w := newWorld(t, harness.MemoryFor(7))
	w.History.MemoryLimit = 7 * harness.PodMemory
	other := w.apply("other", executors(1))
	w.Run(other)
	app := w.apply("app", harness.Elastic)
	driver := w.Run(app)
	w.uses(w.Namespace, 4)

	made := w.Kubelet.Gated(t.Context(), driver, 1, 2, 3, 4, 5, 6)
	harness.ExecutorsAre(t, app, 4, 2, "wait for quota", "ClusterQueue "+w.Namespace, "insufficient unused quota for memory in flavor "+w.Namespace)
	w.uses(w.Namespace, 7)
	w.chunks(app, 5)
	pod := &corev1.Pod{}
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(made[3]), pod); err != nil {
		t.Fatal(err)
	}
	if pod.Spec.NodeSelector["pool"] != w.Namespace || pod.Labels["kueue.x-k8s.io/podset"] != "executor" || len(pod.Spec.Tolerations) == 0 {
		t.Errorf("labels %v, node selector %v, tolerations %v of an executor above the base gang", pod.Labels, pod.Spec.NodeSelector, pod.Spec.Tolerations)
	}

	w.finish(other, 0)
	harness.ExecutorsAre(t, app, 6, 0)
	w.uses(w.Namespace, 7)
	for _, chunk := range w.chunks(app, 5) {
		w.becomes(&chunk, "Admitted=True", "PodsReady=True/Started")
	}

	w.Kubelet.LetGo(t.Context(), made[3:]...)
	harness.ExecutorsAre(t, app, 3, 0)
	w.uses(w.Namespace, 4)
	w.chunks(app, 2)
	w.Kubelet.LetGo(t.Context(), made[:3]...)
	w.uses(w.Namespace, 2)
	w.chunks(app, 0)
	w.Kubelet.Gated(t.Context(), driver, 7)
	harness.ExecutorsAre(t, app, 1, 0)
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
	w.uses(w.Namespace, 0)
	w.Unused()
}

// programAsksForMore: Kueue is asked for executors that a program starts beyond the spec. Those for which it has no quota are ended.
func programAsksForMore(t *testing.T) {
	w := newWorld(t, harness.MemoryFor(3))
	app := w.apply("app", executors(1))
	driver := w.Run(app)
	w.Kubelet.Executors(t.Context(), driver, 2)
	w.uses(w.Namespace, 3)
	w.chunks(app, 1)
	w.Kubelet.ExecutorsFrom(t.Context(), driver, 3, 1)
	harness.Eventually(t, app, "refused one", func(a *v1alpha1.SparkApplication) bool {
		return a.Status.Executors.Refusals == 1 && a.Status.Executors.Ready == 2 && strings.Contains(a.Status.Executors.Problem, "insufficient unused quota for memory")
	})
	w.uses(w.Namespace, 3)
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
	w.uses(w.Namespace, 0)
	w.Unused()
}

// growsByMany: many executors share a few Workloads, each of which may be admitted and released in part.
func growsByMany(t *testing.T) {
	w := newWorld(t, harness.MemoryFor(17))
	w.History.MemoryLimit = 17 * harness.PodMemory
	app := w.apply("app", harness.Elastic, func(a *v1alpha1.SparkApplication) { a.Spec.DynamicAllocation.MaxExecutors = ptr.To[int32](40) })
	driver := w.Run(app)
	var numbers []int
	for n := range 33 {
		numbers = append(numbers, n+1)
	}
	made := w.Kubelet.Gated(t.Context(), driver, numbers...)
	harness.ExecutorsAre(t, app, 16, 17, "insufficient unused quota")
	w.uses(w.Namespace, 17)
	if n := len(w.workloads(app)); n > 20 {
		t.Errorf("%d Workloads for 33 executors", n)
	}
	w.Kubelet.LetGo(t.Context(), made[16:]...) // those that wait
	harness.ExecutorsAre(t, app, 16, 0)
	w.Kubelet.LetGo(t.Context(), made[9:16]...)
	harness.ExecutorsAre(t, app, 9, 0)
	w.uses(w.Namespace, 10)
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
	w.uses(w.Namespace, 0)
}

// growsPastItsChecks: what executors above the base gang ask for also waits for admission checks, for as long as it is wanted.
func growsPastItsChecks(t *testing.T) {
	w := newWorld(t, harness.MemoryFor(5), withCheck(t))
	w.History.MemoryLimit = 5 * harness.PodMemory
	app := w.apply("app", harness.Elastic)
	w.waits(app, "Queued", "WaitingForGate", w.Namespace+" is Pending")
	w.pass(app)
	driver := w.Run(app)
	made := w.Kubelet.Gated(t.Context(), driver, 1, 2, 3)
	harness.ExecutorsAre(t, app, 1, 2, "waits for admission checks: "+w.Namespace+" is Pending")
	asked := w.chunks(app, 2)
	w.passCheckOf(&asked[0])
	harness.ExecutorsAre(t, app, 2, 1, "waits for admission checks: "+w.Namespace+" is Pending")
	if now := w.chunks(app, 2); now[0].UID != asked[0].UID || now[1].UID != asked[1].UID {
		t.Errorf("%s and %s take the place of %s and %s", now[0].UID, now[1].UID, asked[0].UID, asked[1].UID)
	}
	w.Kubelet.LetGo(t.Context(), made[2])
	w.chunks(app, 1)
	w.uses(w.Namespace, 3)
	harness.ExecutorsAre(t, app, 2, 0)
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
	w.uses(w.Namespace, 0)
}

// executorsReclaimed: another queue takes back its own quota. Only as many executors end as it needs; the run survives,
// and grows again when the other one has ended.
func executorsReclaimed(t *testing.T) {
	w := newWorld(t, harness.MemoryFor(3), func(s *kueuev1.ClusterQueueSpec) { cohort("c-" + string(s.ResourceGroups[0].Flavors[0].Name))(s) })
	w.History.MemoryLimit = 7 * harness.PodMemory
	other := w.Namespace + "-b"
	w.clusterQueue(other, harness.MemoryFor(4), cohort("c-"+w.Namespace))
	w.localQueue("other", other)
	app := w.apply("app", harness.Elastic)
	driver := w.Run(app)
	w.Kubelet.Gated(t.Context(), driver, 1, 2, 3, 4, 5, 6)
	harness.ExecutorsAre(t, app, 6, 0)
	lender := w.apply("lender", executors(1), inQueue("other"))
	w.Run(lender)
	harness.ExecutorsAre(t, app, 4, 0)
	if app.Status.Executors.Failed != 0 || app.Status.Preemptions != 0 || harness.Stage(app) != v1alpha1.RunningReason {
		t.Errorf("the run has not survived in order: %s", harness.Show(app))
	}
	w.Kubelet.Gated(t.Context(), driver, 7, 8)
	harness.ExecutorsAre(t, app, 4, 2, "wait for quota")
	w.finish(lender, 0)
	w.Reach(lender, "Succeeded")
	harness.ExecutorsAre(t, app, 6, 0)
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
	w.uses(w.Namespace, 0)
	w.Unused()
}

// baseGangsFirst: an application of the same priority gets its first executors from the quota that another one holds
// above its base gang, if the queue lets Workloads of lower priority be preempted; and no application grows before
// that.
func baseGangsFirst(t *testing.T) {
	w := newWorld(t, harness.MemoryFor(5), lowerPriority)
	w.History.MemoryLimit = 5 * harness.PodMemory
	app := w.apply("app", harness.Elastic)
	driver := w.Run(app)
	w.Kubelet.Gated(t.Context(), driver, 1, 2, 3, 4)
	harness.ExecutorsAre(t, app, 4, 0)
	late := w.apply("late") // three pods
	w.Run(late)
	harness.ExecutorsAre(t, app, 1, 0)
	w.Kubelet.Gated(t.Context(), driver, 5)
	harness.ExecutorsAre(t, app, 1, 1, "wait for quota")
	if late.Status.Preemptions+app.Status.Preemptions > 0 {
		t.Errorf("a whole application was displaced: %s", harness.Show(app))
	}
	w.finish(late, 0)
	harness.ExecutorsAre(t, app, 2, 0)
}

// chunkDeleted: if a user deletes a Workload of executors, these end and their driver requests new ones; the same holds
// for a Workload that is deactivated, but then no new quota is requested.
func chunkDeleted(t *testing.T) {
	w := newWorld(t, harness.MemoryFor(4))
	w.History.MemoryLimit = 4 * harness.PodMemory
	app := w.apply("app", harness.Elastic)
	driver := w.Run(app)
	w.Kubelet.Gated(t.Context(), driver, 1, 2)
	harness.ExecutorsAre(t, app, 2, 0)
	deleted := w.chunks(app, 1)[0]
	if err := w.client.Delete(t.Context(), &deleted); err != nil {
		t.Fatal(err)
	}
	harness.ExecutorsAre(t, app, 1, 0)
	harness.GoneWith(t, w.client, &deleted)
	w.Kubelet.Gated(t.Context(), driver, 3)
	harness.ExecutorsAre(t, app, 2, 0)
	again := w.chunks(app, 1)[0]
	change(w, &again, func(k *kueuev1.Workload) { k.Spec.Active = ptr.To(false) })
	harness.ExecutorsAre(t, app, 1, 0)
	w.Kubelet.Gated(t.Context(), driver, 4)
	harness.ExecutorsAre(t, app, 1, 1, "was deactivated")
	w.chunks(app, 1)
	w.uses(w.Namespace, 2)
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
	w.chunks(app, 0)
}

// guardedUnderKueue: in a guarded namespace executors of every application wait behind the gate, and those of the base gang are let in.
func guardedUnderKueue(t *testing.T) {
	w := newWorld(t, harness.MemoryFor(3))
	harness.Change(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}, func(n *corev1.Namespace) {
		n.Labels[v1alpha1.GuardedLabel] = "true"
	})
	app := w.apply("app")
	driver := w.Run(app)
	if !app.Status.Grant.Gated {
		t.Errorf("the grant is not gated: %s", harness.Show(app))
	}
	made := w.Kubelet.Gated(t.Context(), driver, 1, 2, 3)
	harness.ExecutorsAre(t, app, 2, 1, "wait for quota")
	w.Kubelet.LetGo(t.Context(), made[0])
	harness.ExecutorsAre(t, app, 2, 0)
	w.chunks(app, 0)
	w.uses(w.Namespace, 3)
}

// TestFaultsWithElasticExecutors: every third write to Kueue is refused, loses its answer, is sent twice or answered late, while an application
// grows, shrinks and ends. It gets all that there is, and in the end nothing is left.
func TestFaultsWithElasticExecutors(t *testing.T) {
	systems.Kueue(t, env.Cluster(), systems.KueueSettings{})
	for _, fault := range harness.Survivable() {
		t.Run(fault.String(), func(t *testing.T) {
			w := newWorld(t, harness.MemoryFor(6))
			w.History.MemoryLimit = 6 * harness.PodMemory
			var writes atomic.Int32
			network := harness.NewNetwork(func(_ int, r *http.Request) harness.Fault {
				if strings.Contains(r.URL.Path, "/workloads") && writes.Add(1)%3 == 0 {
					return fault
				}
				return harness.None
			})
			harness.StartOperator(t, harness.OperatorOptions{Network: network.Wrap})
			app := w.apply("app", harness.Elastic)
			driver := w.Run(app)
			made := w.Kubelet.Gated(t.Context(), driver, 1, 2, 3, 4, 5, 6)
			harness.ExecutorsAre(t, app, 5, 1, "wait for quota")
			w.Kubelet.LetGo(t.Context(), made[3:]...)
			harness.ExecutorsAre(t, app, 3, 0)
			w.uses(w.Namespace, 4)
			w.finish(app, 0)
			w.Reach(app, "Succeeded")
			w.chunks(app, 0)
			w.uses(w.Namespace, 0)
			if !network.Broke() {
				t.Error("no fault has happened")
			}
		})
	}
}

// TestOperatorRestartsWithElasticExecutors: a new operator knows from Kueue and the status what is held, and what was lost meanwhile.
func TestOperatorRestartsWithElasticExecutors(t *testing.T) {
	systems.Kueue(t, env.Cluster(), systems.KueueSettings{})
	operator := harness.StartOperator(t, harness.OperatorOptions{})
	w := newWorld(t, harness.MemoryFor(6))
	w.History.MemoryLimit = 6 * harness.PodMemory
	app := w.apply("app", harness.Elastic)
	driver := w.Run(app)
	made := w.Kubelet.Gated(t.Context(), driver, 1, 2, 3, 4)
	harness.ExecutorsAre(t, app, 4, 0)
	before := w.chunks(app, 3)
	operator.Stop()
	w.Kubelet.LetGo(t.Context(), made[3])
	w.Kubelet.Gated(t.Context(), driver, 5, 6)
	if err := w.client.Delete(t.Context(), &before[0]); err != nil {
		t.Fatal(err)
	}
	operator = harness.StartOperator(t, harness.OperatorOptions{})
	w.chunks(app, 4)
	harness.ExecutorsAre(t, app, 5, 0)
	w.uses(w.Namespace, 6)
	operator.Stop()
	w.finish(app, 0)
	harness.StartOperator(t, harness.OperatorOptions{})
	w.Reach(app, "Succeeded")
	w.chunks(app, 0)
	w.uses(w.Namespace, 0)
}
