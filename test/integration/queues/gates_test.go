// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"testing"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/actors"
)

func gate(name v1alpha1.GateType) func(*v1alpha1.SparkApplication) {
	return func(app *v1alpha1.SparkApplication) { app.Spec.Queue = &v1alpha1.QueueReference{Gate: name} }
}

// TestGateNone: nobody is asked, no queue has to exist, nothing is charged; the life is the same.
func TestGateNone(t *testing.T) {
	t.Parallel()
	w := actors.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	w.Run(w.Apply("queued"))
	app := w.Apply("pi", gate(v1alpha1.GateNone))
	w.Run(app)
	admitted := apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.AdmittedCondition)
	if admitted == nil || admitted.Status != "True" || admitted.Reason != "DelegatedToScheduler" || admitted.Message == "" {
		t.Errorf("Admitted: %+v, want True/DelegatedToScheduler", admitted)
	}
	if g := app.Status.Grant; g == nil || g.Gate != "None" || g.Queue != "" || len(g.PodSets) != 2 {
		t.Errorf("grant: %+v", g)
	}
	counted(t, w.Queue, 1, 0)
	finish(t, w, app)
}

// TestGateOfTheNamespace: an annotation decides where the application says nothing.
func TestGateOfTheNamespace(t *testing.T) {
	t.Parallel()
	w := actors.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	annotate(t, w.Namespace, v1alpha1.DefaultGateAnnotation, "Kueue")
	app := w.Apply("pi")
	waits(t, app, "GateNotInstalled", `"Kueue"`, "Embedded or None")
	annotate(t, w.Namespace, v1alpha1.DefaultGateAnnotation, "None")
	w.Run(app)
	if app.Status.Grant.Gate != "None" {
		t.Errorf("grant: %+v", app.Status.Grant)
	}
	finish(t, w, app)
}

// TestGatesNotYetSupported: they are named with what to set instead; once it is set, the application runs.
func TestGatesNotYetSupported(t *testing.T) {
	t.Parallel()
	w := actors.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	for _, name := range []v1alpha1.GateType{v1alpha1.GateKueue, v1alpha1.GateVolcano, v1alpha1.GateYuniKorn} {
		app := w.Apply("on-"+map[v1alpha1.GateType]string{"Kueue": "kueue", "Volcano": "volcano", "YuniKorn": "yunikorn"}[name], gate(name))
		w.Reach(app, "NotYetSupported")
		if !hasAll(actors.Message(app), []string{"spec.queue.gate", string(name), "Embedded or None"}) {
			t.Errorf("message: %s", actors.Message(app))
		}
		actors.Change(t, app, gate(v1alpha1.GateNone))
		w.Succeed(app)
	}
}

// TestGateChangesWhileQueued: who leaves the queue for another gate asks for nothing there any more.
func TestGateChangesWhileQueued(t *testing.T) {
	t.Parallel()
	w := actors.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	first := w.Apply("first")
	w.Run(first)
	app := w.Apply("pi")
	waits(t, app, "WaitingForQuota")
	actors.Change(t, app, gate(v1alpha1.GateNone))
	w.Run(app)
	counted(t, w.Queue, 1, 0)
	finish(t, w, first)
	second := w.Apply("second")
	w.Run(second)
	finish(t, w, second)
	w.Unused()
	finish(t, w, app)
}
