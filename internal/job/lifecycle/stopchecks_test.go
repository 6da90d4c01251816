// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// TestTakenByKueue: a driver that Kueue holds as a job of its own ends the run under the gate Kueue, also where failures are tried again.
// Under another gate a user may want just that.
func TestTakenByKueue(t *testing.T) {
	t.Parallel()
	for gate, want := range map[v1alpha1.GateType]string{
		v1alpha1.GateKueue: v1alpha1.GateConflictReason, v1alpha1.GateNone: v1alpha1.StartingReason,
	} {
		t.Run(string(gate), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.gate, w.app.Spec.RestartPolicy = string(gate), &v1alpha1.RestartPolicy{Type: v1alpha1.RestartOnFailure}
			w.settle()
			w.change(w.driverName(), func(p *pods.Record) {
				p.KueueSchedulingGated, p.SchedulingGated, p.Scheduled = true, true, false
				p.Waiting = pods.Waiting{Reason: corev1.PodReasonSchedulingGated, Message: v1alpha1.KueueSchedulingGate}
			})
			w.settle()
			w.now = w.now.Add(startingDelay)
			w.settle()
			for _, name := range w.podNames() {
				if w.pods[name].Deleting {
					w.ended(name)
				}
			}
			w.settle()
			if got := stageOf(w); got != want {
				t.Errorf("stage %s, want %s\n%s", got, want, w.story())
			}
			if message := readyMessage(w.app); !strings.Contains(message, v1alpha1.KueueSchedulingGate) || !strings.Contains(message, "managedJobsNamespaceSelector") {
				t.Errorf("the message does not name the scheduling gate and the remedy: %s", message)
			}
		})
	}
}
