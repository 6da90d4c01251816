// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package unmanagedpods

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testingclock "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/internal/job/pods/unmanaged"
	"github.com/sparkgate/sparkgate/queueing"
)

// observingGate records the last state of a holder.
type observingGate struct{ state queueing.HolderState }

func (*observingGate) Capabilities() queueing.Capabilities { return queueing.Capabilities{} }
func (*observingGate) Sync(context.Context, queueing.Ask) (queueing.Verdict, error) {
	return queueing.Verdict{}, nil
}
func (*observingGate) Persisted(context.Context, queueing.Key, queueing.Grant)       {}
func (*observingGate) Release(context.Context, queueing.Key, queueing.Release) error { return nil }
func (g *observingGate) UpdateHolder(_ queueing.Key, _, _ int64, s queueing.HolderState) {
	g.state = s
}

// TestPodOnALostNode: the gate hears that a pod which is being deleted cannot end, so that no application waits for
// its quota.
func TestPodOnALostNode(t *testing.T) {
	t.Parallel()
	deleted := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		ready corev1.ConditionStatus
		after time.Duration
		stuck bool
	}{
		"it has time":               {corev1.ConditionUnknown, time.Second, false},
		"its node answers":          {corev1.ConditionTrue, time.Hour, false},
		"its node does not answer":  {corev1.ConditionUnknown, time.Hour, true},
		"its node is gone as well":  {"", time.Hour, false},
		"its node answers, says no": {corev1.ConditionFalse, time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			live := fake.NewClientBuilder()
			if tt.ready != "" {
				node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
				node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: tt.ready}}
				live = live.WithObjects(node)
			}
			gate, c := &observingGate{}, live.Build()
			r := New(Options{Client: c, Live: c, Gates: reservation.Gates{"Embedded": gate}, DefaultGate: v1alpha1.GateEmbedded, Clock: testingclock.NewFakeClock(deleted.Add(tt.after))})
			pod := spark("submit", "driver", "spark-1", 1)
			pod.Spec.SchedulingGates, pod.Spec.NodeName, pod.Status.Phase = nil, "n1", corev1.PodRunning
			pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = ptr.To(metav1.NewTime(deleted.Add(30*time.Second))), ptr.To[int64](30)
			namespace := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "team"}}
			if err := r.charge(t.Context(), namespace, unmanaged.PodOf(pod), "team-a"); err != nil {
				t.Fatal(err)
			}
			if !gate.state.Terminating || gate.state.Stuck != tt.stuck {
				t.Errorf("%+v, want stuck: %t", gate.state, tt.stuck)
			}
		})
	}
}
