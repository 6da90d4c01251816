// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package restart

import (
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// lingering returns a world whose pods stay when they are deleted, until they may go, and another queue that its
// namespace is charged to by default.
func lingering(t *testing.T) (w *harness.World, own *v1alpha1.SparkQueue, stay *atomic.Bool) {
	t.Helper()
	stay = &atomic.Bool{}
	stay.Store(true)
	w = harness.NewWorld(t, "3Gi", &harness.Kubelet{Run: harness.Manual, Hold: func(*corev1.Pod) bool { return stay.Load() }})
	t.Cleanup(func() { stay.Store(false) })
	own = harness.Queue(t, w.Namespace+"-own", "", "8Gi")
	harness.Change(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}, func(n *corev1.Namespace) {
		n.Annotations = map[string]string{v1alpha1.DefaultQueueAnnotation: own.Name}
	})
	return w, own, stay
}

// impostor returns a running pod with labels of an application that a tenant has made up, or of one that was.
func impostor(t *testing.T, w *harness.World, name, application, uid string) *corev1.Pod {
	t.Helper()
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name, Labels: map[string]string{
			v1alpha1.ApplicationLabel: application, v1alpha1.ApplicationUIDLabel: uid, v1alpha1.QueueLabel: w.Queue.Name,
			v1alpha1.RunLabel: "1", v1alpha1.AttemptLabel: "1", v1alpha1.SparkRoleLabel: v1alpha1.SparkRoleExecutor,
		}},
		Spec: corev1.PodSpec{NodeName: "node-1", Containers: []corev1.Container{{
			Name: "main", Image: "docker.io/sparkgate/spark:4.1",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("2Gi")}},
		}}},
	}
	harness.Create(t, p)
	w.Kubelet.Start(t.Context(), p) // without a kubelet that knows it, it would use nothing
	return p
}

// uses waits until a queue uses as much memory, and counts as many pods that belong to no application.
func uses(t *testing.T, q *v1alpha1.SparkQueue, memory string, unmanaged int32) {
	t.Helper()
	want := resource.MustParse(memory)
	harness.Eventually(t, q, "using "+memory, func(q *v1alpha1.SparkQueue) bool {
		used, pods := resource.Quantity{}, int32(0)
		for _, u := range q.Status.Usage {
			if u.Resource == "memory" {
				used.Add(u.Used)
			}
		}
		if q.Status.UnmanagedPods != nil {
			pods = q.Status.UnmanagedPods.Admitted
		}
		return used.Cmp(want) == 0 && pods == unmanaged
	})
}

// TestLabelsChargeNobody: a pod with the labels of an application that never was is charged to the queue of its own namespace, whatever
// queue they name, until it is gone; also after a restart.
func TestLabelsChargeNobody(t *testing.T) {
	w, own, stay := lingering(t)
	p := impostor(t, w, "impostor", "made-up", "00000000-0000-0000-0000-000000000000")
	for _, name := range []string{"first", "second"} {
		operator := start(t)
		uses(t, own, "2Gi", 1)
		uses(t, w.Queue, "0", 0)
		w.Succeed(w.Apply(name)) // there is quota for it, and there would not be if the pod were charged here
		operator.Stop()
	}
	start(t)
	stay.Store(false)
	harness.Gone(t, p)
	uses(t, own, "0", 0)
}

// TestOrphansStayCharged: what the pods of an application hold that is gone stays charged to its queue over restarts, because the ledger
// says so, and not more than that, however many pods have its labels.
func TestOrphansStayCharged(t *testing.T) {
	w, own, stay := lingering(t)
	operator := start(t)
	app := w.Apply("pi")
	driver := w.Run(app)
	held := ""
	harness.Eventually(t, w.Queue, "charged", func(q *v1alpha1.SparkQueue) bool {
		for _, u := range q.Status.Usage {
			if u.Resource == "memory" {
				held = u.Used.String()
			}
		}
		return held != "" && held != "0"
	})
	if err := env.Client().Delete(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	if err := env.Client().Patch(t.Context(), app, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))); client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, w.Queue, "remembering the orphan", func(q *v1alpha1.SparkQueue) bool {
		entries, err := q.Status.Ledger.Decode()
		return err == nil && len(entries.Orphans) == 1 && entries.Orphans[0].UID == string(app.UID)
	})
	uses(t, w.Queue, held, 0)
	operator.Stop()

	more := impostor(t, w, "more", "pi", string(app.UID))
	last := start(t)
	uses(t, w.Queue, held, 0)
	uses(t, own, "2Gi", 1)
	last.Stop()

	start(t)
	uses(t, w.Queue, held, 0)
	stay.Store(false)
	harness.Gone(t, driver)
	harness.Gone(t, more)
	w.Unused()
	uses(t, own, "0", 0)
	harness.Eventually(t, w.Queue, "with an empty ledger", func(q *v1alpha1.SparkQueue) bool { return q.Status.Ledger.Entries == "" })
}
