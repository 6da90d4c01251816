// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package unmanagedpods

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestEvents: the reason that keeps a pod gated is recorded once, and again for another pod of the same name. It is
// dropped when the pod is gone, also for a pod that has never asked a gate, because a namespace may create and delete
// any number of them.
func TestEvents(t *testing.T) {
	t.Parallel()
	recorder := events.NewFakeRecorder(10)
	r := New(Options{Client: fake.NewClientBuilder().Build(), Recorder: recorder, DefaultGate: v1alpha1.GateEmbedded})
	in := r.store.open("team")
	do := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	namespace := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "team", Labels: map[string]string{v1alpha1.GuardedLabel: "true"}}}
	look := func(what string, said, remembered int) {
		t.Helper()
		if err := r.reconcilePod(t.Context(), namespace, types.NamespacedName{Namespace: "team", Name: "submit"}); err != nil {
			t.Fatal(err)
		}
		if len(recorder.Events) != said || len(r.lastEvents) != remembered {
			t.Errorf("%s: %d events, %d remembered; want %d and %d", what, len(recorder.Events), len(r.lastEvents), said, remembered)
		}
		for len(recorder.Events) > 0 {
			<-recorder.Events
		}
	}
	negative := func(uid types.UID, second int) *corev1.Pod {
		p := spark("submit", "driver", "spark-1", second)
		p.UID = uid
		p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("-1")
		return p
	}
	first, second := negative("first", 1), negative("second", 2)
	do(in.Add(first))
	look("a pod that cannot be counted", 1, 1)
	look("the same pod", 0, 1)
	do(in.Add(second))
	look("another pod of the name", 1, 1)
	do(in.Delete(second))
	look("the pod is gone", 0, 0)
	do(in.Add(negative("third", 3)))
	namespace.Labels = nil
	look("its namespace is no longer guarded", 0, 0)
}
