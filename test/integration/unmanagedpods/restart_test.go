// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package unmanagedpods

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestRestart: while the operator is away nothing is admitted. Afterwards what runs is charged, in the queue of its label, also what was admitted
// by another client meanwhile, before anything is decided.
func TestRestart(t *testing.T) {
	w := enrol(t, "3Gi")
	before := harness.StartOperator(t, harness.OperatorOptions{})
	d := driver(w, "submit")
	apply(t, d)
	one := executor(d, 1)
	apply(t, one)
	awaitUngated(t, w, d, one)
	counted(t, w, counts{applications: [2]int32{1, 0}, pods: [2]int32{2, 0}})
	before.Stop()

	two, three, four := executor(d, 2), executor(d, 3), executor(d, 4)
	apply(t, two, three, four)
	ungate(t, two)
	remove(t, one)
	other := harness.Queue(t, w.Namespace+"-other", "", "1Gi")
	namespace(t, w, func(n *corev1.Namespace) { n.Annotations[v1alpha1.DefaultQueueAnnotation] = other.Name })

	after := harness.StartOperator(t, harness.OperatorOptions{})
	w.Queue = other
	told(t, three, "WaitingForQuota", other.Name) // two was never let in by a queue, so that of the namespace pays
	told(t, four, "WaitingForQuota", other.Name)
	counted(t, w, counts{applications: [2]int32{0, 0}, pods: [2]int32{1, 2}})
	was := &harness.World{Queue: &v1alpha1.SparkQueue{}}
	was.Queue.Name = w.Namespace
	counted(t, was, counts{applications: [2]int32{1, 0}, pods: [2]int32{1, 0}})
	remove(t, two)
	env.Until(t, "one of the two is let in", func() bool {
		in := 0
		for _, p := range []*corev1.Pod{three, four} {
			live := &corev1.Pod{}
			if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(p), live); err != nil {
				t.Fatal(err)
			}
			if !gated(live) {
				in++
			}
		}
		return in == 1
	})
	counted(t, w, counts{applications: [2]int32{0, 0}, pods: [2]int32{1, 1}})
	after.Stop()
}

// TestLabelsOfOthers: pods that ran before their namespace was guarded carry whatever label their creator wrote. The label charges neither a
// queue of another team nor one without limits or one that does not exist, after a restart either.
func TestLabelsOfOthers(t *testing.T) {
	w := enrol(t, "8Gi")
	teamB, unlimited := harness.Queue(t, w.Namespace+"-team-b", "", "4Gi"), harness.Queue(t, w.Namespace+"-unlimited", "", "")
	harness.Change(t, teamB, func(q *v1alpha1.SparkQueue) {
		q.Spec.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: "team-b"}}
	})
	namespace(t, w, func(n *corev1.Namespace) { delete(n.Labels, v1alpha1.GuardedLabel) })
	env.Until(t, "the guard is off", func() bool {
		p := driver(w, "probe")
		err := env.Client().Create(t.Context(), p, client.DryRunAll)
		return err == nil && !gated(p)
	})
	for name, queue := range map[string]string{"b": teamB.Name, "unlimited": unlimited.Name, "nowhere": "does-not-exist", "own": w.Queue.Name} {
		d := driver(w, name)
		d.Labels[v1alpha1.QueueLabel] = queue
		harness.Create(t, d)
	}
	namespace(t, w, func(n *corev1.Namespace) { n.Labels[v1alpha1.GuardedLabel] = "true" })
	for range 2 {
		operator := harness.StartOperator(t, harness.OperatorOptions{})
		counted(t, w, counts{applications: [2]int32{4, 0}, pods: [2]int32{4, 0}})
		for _, other := range []*v1alpha1.SparkQueue{teamB, unlimited} {
			counted(t, &harness.World{Queue: other}, counts{})
		}
		operator.Stop()
	}
}
