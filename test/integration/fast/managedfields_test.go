// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package fast

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

const (
	// mostStatus is how many bytes the status of an application may have at the end of a run with two executors.
	mostStatus = 2000
	// mostFields is how many bytes its managedFields may have.
	mostFields = 1100
)

// applier is a client that applies manifests, as kubectl plays it: Flux's kustomize-controller and Argo CD apply on the server, under
// these names.
type applier struct {
	name      string
	arguments []string
}

var appliers = []applier{
	{"kubectl, by itself", nil},
	{"kubectl, on the server", []string{"--server-side"}},
	{"as Flux", []string{"--server-side", "--force-conflicts", "--field-manager=kustomize-controller"}},
	{"as Argo CD", []string{"--server-side", "--force-conflicts", "--field-manager=argocd-controller"}},
}

// ownership lives a whole life with each applier. What the operator writes leaves one entry of its own for the status, which does not
// name a field of it, and without the policy one for the finalizer; and every field that an applier has set is the applier's, so that it
// goes when it is no longer in the manifest.
func ownership(t *testing.T, ours ...string) {
	w := harness.NewWorld(t, "64Gi", nil)
	harness.StartOperator(t, harness.OperatorOptions{})
	for i, by := range appliers {
		app := w.Pi(fmt.Sprintf("by-%d", i))
		app.Spec.Arguments, app.Spec.OnTemplateChange = []string{"1"}, v1alpha1.TemplateChangeIgnore
		apply := func() {
			t.Helper()
			if _, err := env.KubectlWith(t, manifest(t, app), append([]string{"apply", "-f", "-"}, by.arguments...)...); err != nil {
				t.Fatal(err)
			}
		}
		apply()
		driver := w.Run(app)
		w.Kubelet.Executors(t.Context(), driver, 2)
		harness.Eventually(t, app, "with its executors", func(a *v1alpha1.SparkApplication) bool { return a.Status.Executors.Ready == 2 })
		w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
		w.Reach(app, v1alpha1.SucceededReason)

		if got := entriesOfOperator(app); !slices.Equal(got, ours) {
			t.Errorf("%s: the operator's managedFields are\n%s, want\n%s", by.name, strings.Join(got, "\n"), strings.Join(ours, "\n"))
		}
		status, fields := size(t, app.Status), size(t, app.ManagedFields)
		t.Logf("%s: status %d bytes, managedFields %d in %d entries", by.name, status, fields, len(app.ManagedFields))
		if status > mostStatus || fields > mostFields {
			t.Errorf("%s: status %d bytes and managedFields %d, want %d and %d at most", by.name, status, fields, mostStatus, mostFields)
		}

		app.Spec.Arguments = nil
		apply()
		if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(app), app); err != nil {
			t.Fatal(err)
		}
		if len(app.Spec.Arguments) > 0 || !slices.Equal(app.Finalizers, []string{v1alpha1.Finalizer}) || app.Status.Run != 1 {
			t.Errorf("%s, again without arguments: arguments %v, finalizers %v, run %d", by.name, app.Spec.Arguments, app.Finalizers, app.Status.Run)
		}
		remove(t, app)
	}
}

// entriesOfOperator returns the entries of the operator in the managedFields of an application, sorted.
func entriesOfOperator(app *v1alpha1.SparkApplication) (entries []string) {
	for i := range app.ManagedFields {
		e := &app.ManagedFields[i]
		if e.Manager == v1alpha1.FieldOwner {
			entries = append(entries, strings.TrimSpace(e.Subresource+" "+fieldsOf(e)))
		}
	}
	slices.Sort(entries)
	return entries
}

func fieldsOf(e *metav1.ManagedFieldsEntry) string {
	if e.FieldsV1 == nil {
		return ""
	}
	return e.FieldsV1.GetRawString()
}

func size(t *testing.T, v any) int {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return len(text)
}
