// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// delegating returns a world whose gate leaves admission to the scheduler, with a driver that has no node.
func delegating(t *testing.T, gate v1alpha1.GateType, timeouts *v1alpha1.Timeouts) *world {
	w := newWorld(t)
	w.gate, w.app.Spec.Timeouts = string(gate), timeouts
	w.settle()
	if c := apimeta.FindStatusCondition(w.app.Status.Conditions, v1alpha1.AdmittedCondition); c == nil || c.Reason != v1alpha1.DelegatedToSchedulerReason {
		t.Fatalf("Admitted: %+v", c)
	}
	w.change(w.driverName(), func(p *pods.Record) {
		p.Phase, p.Scheduled, p.Waiting = corev1.PodPending, false, pods.Waiting{Reason: "Unschedulable", Message: "0/1 nodes are available"}
	})
	return w
}

// looksUntil lets time pass, with a pass whenever one is due, and fails if the operator does not come to rest.
func (w *world) looksUntil(at time.Time) {
	w.t.Helper()
	for range 1000 {
		due := w.pass().RequeueAt
		if due.IsZero() || due.After(at) {
			w.now = at
			w.settle()
			return
		}
		w.now = due
	}
	w.t.Fatalf("the operator looks all the time\n%s", w.story())
}

func stageOf(w *world) string {
	return apimeta.FindStatusCondition(w.app.Status.Conditions, v1alpha1.ReadyCondition).Reason
}

// TestSchedulerMayTakeItsTime: where the scheduler has queues, a driver without a node is not one that fails to start. The time for that
// begins with the node.
func TestSchedulerMayTakeItsTime(t *testing.T) {
	t.Parallel()
	w := delegating(t, v1alpha1.GateYuniKorn, nil)
	w.looksUntil(epoch.Add(5 * time.Hour))
	if got := stageOf(w); got != v1alpha1.StartingReason {
		t.Fatalf("stage %s after five hours in the queue\n%s", got, w.story())
	}
	const says = "waits in queue team-a of YuniKorn for a gang of 3 pods; driver pod pi-1-1-driver: "
	if message := readyMessage(w.app); w.app.Status.Times.Waiting == nil || !strings.HasPrefix(message, says) {
		t.Errorf("the status does not say that it waits: %s", message)
	}
	w.change(w.driverName(), func(p *pods.Record) { p.Scheduled, p.Waiting = true, pods.Waiting{Reason: "ContainerCreating"} })
	w.settle()
	if w.app.Status.Times.Waiting != nil || !w.app.Status.Times.Admitted.Time.Equal(w.now) {
		t.Errorf("waiting since %v, admitted %v, want admitted now", w.app.Status.Times.Waiting, w.app.Status.Times.Admitted)
	}
	w.looksUntil(w.now.Add(DefaultDriverStart - time.Second))
	if got := stageOf(w); got != v1alpha1.StartingReason {
		t.Fatalf("stage %s within the time for the start\n%s", got, w.story())
	}
	w.looksUntil(w.now.Add(time.Second))
	if got := stageOf(w); got != v1alpha1.DriverStartTimeoutReason {
		t.Errorf("stage %s after the time for the start\n%s", got, w.story())
	}
}

// TestSchedulerAdmits: a driver that runs without any pass in between has been admitted as well.
func TestSchedulerAdmits(t *testing.T) {
	t.Parallel()
	w := delegating(t, v1alpha1.GateYuniKorn, &v1alpha1.Timeouts{Admission: seconds(60)})
	w.looksUntil(epoch.Add(59 * time.Second))
	w.runs()
	w.settle()
	w.looksUntil(epoch.Add(20 * time.Minute))
	if got := stageOf(w); got != v1alpha1.RunningReason {
		t.Errorf("stage %s\n%s", got, w.story())
	}
}

// TestAdmissionIsBoundedByTheScheduler: timeouts.admission bounds the wait for a node. Nothing follows, whatever the restart policy is.
func TestAdmissionIsBoundedByTheScheduler(t *testing.T) {
	t.Parallel()
	for _, gate := range []v1alpha1.GateType{v1alpha1.GateYuniKorn, v1alpha1.GateNone} {
		w := delegating(t, gate, &v1alpha1.Timeouts{Admission: seconds(60)})
		w.app.Spec.RestartPolicy = &v1alpha1.RestartPolicy{Type: v1alpha1.RestartOnFailure}
		w.looksUntil(epoch.Add(59 * time.Second))
		if got := stageOf(w); got != v1alpha1.StartingReason {
			t.Fatalf("gate %s: stage %s before the end of the time\n%s", gate, got, w.story())
		}
		w.looksUntil(epoch.Add(time.Minute))
		if !strings.Contains(w.story(), "timeouts.admission (1m0s): the driver pod is unschedulable; last reported: 0/1 nodes") {
			t.Errorf("gate %s: the message does not say for what it waited\n%s", gate, w.story())
		}
		if got := stageOf(w); got != v1alpha1.AdmissionTimeoutReason {
			t.Errorf("gate %s: stage %s\n%s", gate, got, w.story())
		}
		if w.granted != nil {
			t.Errorf("gate %s: the grant was not released", gate)
		}
	}
}

// TestNoneGivesUpADriverWithoutANode: without queues, a driver that gets no node does not start.
func TestNoneGivesUpADriverWithoutANode(t *testing.T) {
	t.Parallel()
	w := delegating(t, v1alpha1.GateNone, nil)
	w.looksUntil(epoch.Add(DefaultDriverStart))
	if got := stageOf(w); got != v1alpha1.DriverStartTimeoutReason {
		t.Errorf("stage %s\n%s", got, w.story())
	}
}

// TestFewerExecutorsAreEnough: under gates that leave executors to a scheduler, queue.minExecutors make the attempt complete.
func TestFewerExecutorsAreEnough(t *testing.T) {
	t.Parallel()
	for gate, complete := range map[v1alpha1.GateType]bool{v1alpha1.GateVolcano: true, v1alpha1.GateYuniKorn: true, v1alpha1.GateEmbedded: false} {
		w := newWorld(t)
		one := int32(1)
		w.gate, w.app.Spec.Queue = string(gate), &v1alpha1.QueueReference{MinExecutors: &one}
		w.settle()
		w.runs()
		w.settle()
		w.executor("pi-exec-1", true)
		w.executor("pi-exec-2", false)
		w.settle()
		if got := w.app.Status.Times.ExecutorsReady != nil; got != complete {
			t.Errorf("gate %s: complete %t, want %t", gate, got, complete)
		}
	}
}

// TestAnotherGateIsNamedInMidRun: the attempt continues under its gate, and says so; what the namespace or the operator names is not shown.
func TestAnotherGateIsNamedInMidRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.settle()
	w.runs()
	w.settle()
	w.edit("chooses another gate", func(app *v1alpha1.SparkApplication) {
		app.Spec.Queue = &v1alpha1.QueueReference{Gate: v1alpha1.GateVolcano}
	})
	w.settle()
	ready := apimeta.FindStatusCondition(w.app.Status.Conditions, v1alpha1.ReadyCondition)
	if ready.Reason != v1alpha1.RunningReason || !strings.Contains(ready.Message, "admitted by gate Embedded: spec.queue.gate Volcano takes effect with the next attempt or run") {
		t.Errorf("Ready is %s: %q, want Running with the gate that counts later", ready.Reason, ready.Message)
	}
	w.edit("takes it back", func(app *v1alpha1.SparkApplication) { app.Spec.Queue = nil })
	w.settle()
	if ready = apimeta.FindStatusCondition(w.app.Status.Conditions, v1alpha1.ReadyCondition); strings.Contains(ready.Message, "Volcano") {
		t.Errorf("it still says: %s", ready.Message)
	}
}
