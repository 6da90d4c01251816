// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
)

// TestLatePodsOfOrphans: pods of a deleted application that were created after all should have ended do not keep the
// quota. They are deleted like the others. A driver may still create executors.
func TestLatePodsOfOrphans(t *testing.T) {
	t.Parallel()
	for first, keeps := range map[string]bool{v1alpha1.SparkRoleExecutor: false, v1alpha1.SparkRoleDriver: true} {
		r, c, app := submission(t)
		gate := &askedGate{}
		r.Gates = reservation.Gates{"Embedded": gate}
		name, version := client.ObjectKeyFromObject(app), 1
		add := func(pod, role string) *corev1.Pod {
			p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
				Namespace: name.Namespace, Name: pod, CreationTimestamp: metav1.NewTime(r.Clock.Now()), Labels: map[string]string{
					v1alpha1.ApplicationLabel: name.Name, v1alpha1.ApplicationUIDLabel: string(app.UID), v1alpha1.SparkRoleLabel: role,
				},
				OwnerReferences: []metav1.OwnerReference{{Kind: v1alpha1.SparkApplicationKind, Name: name.Name, UID: app.UID, Controller: ptr.To(true)}},
			}, Spec: corev1.PodSpec{NodeName: "node-1"}, Status: corev1.PodStatus{Phase: corev1.PodRunning}}
			if err := c.Create(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			version++
			p.UID, p.ResourceVersion = types.UID(pod), fmt.Sprint(version)
			if r.Pods.ObservedWrite(p); r.Pods.Get(client.ObjectKeyFromObject(p)) == nil {
				t.Fatal("the pod is not seen")
			}
			return p
		}
		pass := func() {
			if _, err := r.releaseStale(t.Context(), name, ""); err != nil {
				t.Fatal(err)
			}
		}
		early := add("early", first)
		if pass(); gate.released > 0 {
			t.Errorf("%s: the quota was released under its pod", first)
		}
		r.Clock.(*clocktesting.FakeClock).Step(r.MaxTermination + time.Minute)
		late := add("late", v1alpha1.SparkRoleExecutor)
		if first == v1alpha1.SparkRoleExecutor {
			if err := r.Pods.Delete(early); err != nil {
				t.Fatal(err)
			}
		}
		if pass(); gate.released > 0 == keeps {
			t.Errorf("%s: released %d times, want it kept: %t", first, gate.released, keeps)
		}
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(late), late); err == nil {
			t.Errorf("%s: the late pod was not deleted", first)
		}
	}
}
