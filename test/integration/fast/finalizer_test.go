// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package fast

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestFinalizer lives the same lives without the policy, and with it. Only the writes of finalizers differ.
func TestFinalizer(t *testing.T) {
	t.Run("without the policy", func(t *testing.T) { lives(t, 1) })
	t.Run("without the policy, fields of appliers", func(t *testing.T) { ownership(t, statusFields, finalizerFields) })
	harness.InstallFast(t)
	t.Run("with the policy", func(t *testing.T) { lives(t, 0) })
	t.Run("with the policy, which is removed from one application", dropped)
	t.Run("with the policy, what has never started is deleted", neverStarted)
	t.Run("with the policy, fields of appliers", func(t *testing.T) { ownership(t, statusFields) })
}

// lives has an application succeed, and expects so many writes of finalizers before the end. It is gone once it is deleted.
func lives(t *testing.T, want int) {
	w := harness.NewWorld(t, "8Gi", nil)
	network := harness.NewNetwork(nil)
	harness.StartOperator(t, harness.OperatorOptions{Network: network.Wrap})
	app := w.Apply("pi")
	w.Succeed(app)
	finalizers := slices.DeleteFunc(network.Touching("/sparkapplications/pi"), func(write string) bool { return strings.HasSuffix(write, "/status") })
	if len(finalizers) != want || !slices.Contains(app.Finalizers, v1alpha1.Finalizer) {
		t.Errorf("finalizers %v by %d writes, want %d: %v", app.Finalizers, len(finalizers), want, finalizers)
	}
	remove(t, app)
	w.Unused()
}

// dropped: the operator relies on what it sees, not on the policy.
func dropped(t *testing.T) {
	w := harness.NewWorld(t, "8Gi", nil)
	app := w.Apply("pi")
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Finalizers = nil })
	harness.StartOperator(t, harness.OperatorOptions{})
	w.Run(app)
	harness.Eventually(t, app, "with the finalizer", func(a *v1alpha1.SparkApplication) bool { return slices.Contains(a.Finalizers, v1alpha1.Finalizer) })
	remove(t, app)
	w.NothingRuns()
}

// neverStarted: the finalizer comes earlier than anything that it is for, and keeps nothing.
func neverStarted(t *testing.T) {
	w := harness.NewWorld(t, "3Gi", nil)
	harness.StartOperator(t, harness.OperatorOptions{})
	w.Run(w.Apply("holder"))
	waiting := w.Apply("waiting")
	w.Reach(waiting, "Queued")
	suspended := w.Apply("suspended", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
	w.Reach(suspended, "Suspended")
	invalid := w.Apply("invalid", func(a *v1alpha1.SparkApplication) { a.Spec.SparkConf = map[string]string{"spark.master": "yarn"} })
	w.Reach(invalid, "InvalidSpec")
	for _, app := range []*v1alpha1.SparkApplication{waiting, suspended, invalid} {
		remove(t, app)
	}
}

// What the operator owns of an application: the status, as one value, and the finalizer where it has added that.
const (
	statusFields    = `status {"f:status":{}}`
	finalizerFields = `{"f:metadata":{"f:finalizers":{".":{},"v:\"sparkgate.io/finalizer\"":{}}}}`
)

func manifest(t *testing.T, app *v1alpha1.SparkApplication) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"apiVersion": v1alpha1.GroupVersion.String(), "kind": "SparkApplication",
		"metadata": map[string]any{"namespace": app.Namespace, "name": app.Name}, "spec": app.Spec,
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func remove(t *testing.T, app *v1alpha1.SparkApplication) {
	t.Helper()
	if err := env.Client().Delete(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	harness.Gone(t, app)
}
