// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

// world is a harness.World with its own ClusterQueue, LocalQueue and flavor, all named after the namespace.
type world struct {
	*harness.World
	t      *testing.T
	client client.WithWatch
}

// newWorld creates a ClusterQueue with so much memory, changed by the functions: one application of the harness
// requests 2688Mi. Kueue has to be installed.
func newWorld(t *testing.T, memory string, changes ...func(*kueuev1.ClusterQueueSpec)) *world {
	t.Helper()
	w := &world{World: harness.NewWorld(t, "", nil), t: t, client: kueueClient(t)}
	w.queues(memory, changes...)
	return w
}

// queues creates flavor and queues, and waits until they admit.
func (w *world) queues(memory string, changes ...func(*kueuev1.ClusterQueueSpec)) {
	w.t.Helper()
	w.create(&kueuev1.ResourceFlavor{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}, Spec: kueuev1.ResourceFlavorSpec{
		NodeLabels:  map[string]string{"pool": w.Namespace},
		Tolerations: []corev1.Toleration{{Key: "pool", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}},
	}})
	w.clusterQueue(w.Namespace, memory, changes...)
	w.localQueue(w.Namespace, w.Namespace)
}

// clusterQueue creates a queue for memory in the flavor of the world; other resources do not count.
func (w *world) clusterQueue(name, memory string, changes ...func(*kueuev1.ClusterQueueSpec)) {
	w.t.Helper()
	q := &kueuev1.ClusterQueue{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: kueuev1.ClusterQueueSpec{
		NamespaceSelector: &metav1.LabelSelector{},
		ResourceGroups: []kueuev1.ResourceGroup{{
			CoveredResources: []corev1.ResourceName{"memory", "cpu"},
			Flavors: []kueuev1.FlavorQuotas{{Name: kueuev1.ResourceFlavorReference(w.Namespace), Resources: []kueuev1.ResourceQuota{
				{Name: "memory", NominalQuota: resource.MustParse(memory)}, {Name: "cpu", NominalQuota: resource.MustParse("1000")},
			}}},
		}},
	}}
	for _, change := range changes {
		change(&q.Spec)
	}
	w.create(q)
}

func (w *world) localQueue(name, of string) {
	w.t.Helper()
	q := &kueuev1.LocalQueue{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name}, Spec: kueuev1.LocalQueueSpec{ClusterQueue: kueuev1.ClusterQueueReference(of)}}
	w.create(q)
	eventually(w, q, "active", func(q *kueuev1.LocalQueue) bool {
		return apimeta.IsStatusConditionTrue(q.Status.Conditions, kueuev1.LocalQueueActive)
	})
}

func (w *world) create(o client.Object) {
	w.t.Helper()
	if err := w.client.Create(w.t.Context(), o); err != nil {
		w.t.Fatal(err)
	}
}

// apply creates an application with the gate Kueue.
func (w *world) apply(name string, change ...func(*v1alpha1.SparkApplication)) *v1alpha1.SparkApplication {
	w.t.Helper()
	return w.Apply(name, append([]func(*v1alpha1.SparkApplication){onKueue}, change...)...)
}

func onKueue(app *v1alpha1.SparkApplication) { app.Spec.Queue.Gate = v1alpha1.GateKueue }

func inQueue(name string) func(*v1alpha1.SparkApplication) {
	return func(app *v1alpha1.SparkApplication) { app.Spec.Queue.Name = name }
}

// stop changes the stop policy of the world's ClusterQueue.
func (w *world) stop(policy kueuev1.StopPolicy) {
	w.t.Helper()
	change(w, &kueuev1.ClusterQueue{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}, func(q *kueuev1.ClusterQueue) { q.Spec.StopPolicy = &policy })
}

// workloads returns the Workloads of an application, oldest first.
func (w *world) workloads(app *v1alpha1.SparkApplication) []kueuev1.Workload {
	w.t.Helper()
	list := &kueuev1.WorkloadList{}
	if err := w.client.List(w.t.Context(), list, client.InNamespace(w.Namespace), client.MatchingLabels{v1alpha1.ApplicationUIDLabel: string(app.UID)}); err != nil {
		w.t.Fatal(err)
	}
	return list.Items
}

// workload returns the only Workload of an application.
func (w *world) workload(app *v1alpha1.SparkApplication) *kueuev1.Workload {
	w.t.Helper()
	all := w.workloads(app)
	if len(all) != 1 {
		w.t.Fatalf("%s has %d Workloads: %+v", app.Name, len(all), all)
	}
	return &all[0]
}

// becomes waits until a Workload has conditions such as "Finished=True/Succeeded".
func (w *world) becomes(workload *kueuev1.Workload, conditions ...string) {
	w.t.Helper()
	eventually(w, workload, strings.Join(conditions, " "), func(got *kueuev1.Workload) bool {
		for _, wanted := range conditions {
			name, rest, _ := strings.Cut(wanted, "=")
			c := apimeta.FindStatusCondition(got.Status.Conditions, name)
			if c == nil || !strings.HasPrefix(string(c.Status)+"/"+c.Reason, rest) {
				return false
			}
		}
		return true
	})
}

// waits waits until an application is in a stage and says why, and checks that it does not change.
func (w *world) waits(app *v1alpha1.SparkApplication, stage, reason string, words ...string) {
	w.t.Helper()
	harness.Eventually(w.t, app, stage+" for "+reason+", saying "+strings.Join(words, ", "), func(a *v1alpha1.SparkApplication) bool {
		admitted := apimeta.FindStatusCondition(a.Status.Conditions, v1alpha1.AdmittedCondition)
		if harness.Stage(a) != stage || reason != "" && (admitted == nil || admitted.Reason != reason) {
			return false
		}
		message := harness.Message(a)
		if reason != "" {
			message = admitted.Message
		}
		for _, word := range words {
			if !strings.Contains(message, word) {
				return false
			}
		}
		return true
	})
}

// finish ends the driver of an application that runs.
func (w *world) finish(app *v1alpha1.SparkApplication, code int32) {
	w.t.Helper()
	w.Kubelet.Finish(w.t.Context(), w.Driver(app), code, "Error")
}

// eventually reads an object until it is as wanted.
func eventually[T client.Object](w *world, o T, what string, wanted func(T) bool) {
	w.t.Helper()
	harness.EventuallyWith(w.t, w.client, o, what, wanted)
}

// change changes an object of Kueue, over conflicts.
func change[T client.Object](w *world, o T, change func(T)) {
	w.t.Helper()
	harness.ChangeWith(w.t, w.client, o, change)
}

func lowerPriority(s *kueuev1.ClusterQueueSpec) {
	s.Preemption = &kueuev1.ClusterQueuePreemption{WithinClusterQueue: kueuev1.PreemptionPolicyLowerPriority}
}

func cohort(name string) func(*kueuev1.ClusterQueueSpec) {
	return func(s *kueuev1.ClusterQueueSpec) {
		s.CohortName = kueuev1.CohortReference(name)
		s.Preemption = &kueuev1.ClusterQueuePreemption{ReclaimWithinCohort: kueuev1.PreemptionPolicyAny}
	}
}

// priority creates a WorkloadPriorityClass.
func (w *world) priority(name string, value int32) string {
	w.t.Helper()
	name = w.Namespace + "-" + name
	w.create(&kueuev1.WorkloadPriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value})
	return name
}

func executors(n int32) func(*v1alpha1.SparkApplication) {
	return func(app *v1alpha1.SparkApplication) { app.Spec.Executor.Instances = ptr.To(n) }
}

func kueueClient(t *testing.T) client.WithWatch {
	t.Helper()
	scheme, err := env.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	if err := kueuev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c, err := client.NewWithWatch(env.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
