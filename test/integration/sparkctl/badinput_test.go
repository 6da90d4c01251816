// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package sparkctl

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestNamespaceVanishes: what follows a run ends and says that the run is gone, what watches a namespace shows that it is empty.
func TestNamespaceVanishes(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	n := harness.NewNode(t)
	w := harness.NewWorld(t, "", &harness.Kubelet{Run: harness.Manual, Node: n.Name})
	me := as(t, admin(), w.Namespace)
	app := w.Apply("pi")
	driver := w.Run(app)
	n.Writes(driver, "first line\n")

	logs, text, logNotes := me.started("logs", "pi", "-f")
	text.until(t, "first line\n")
	waiting, _, waitNotes := me.started("submit", "-f", manifest(t, w.Pi("other")), "--wait")
	other := w.Pi("other")
	waitNotes.until(t, "attempt 1: ")
	watching := me.command("watch")
	_, frames := inTerminal(t, watching, 100, 10)
	frames.until(t, ": 2 (")

	for _, gone := range []*v1alpha1.SparkApplication{app, other} {
		if err := env.Client().Delete(t.Context(), gone); err != nil {
			t.Fatal(err)
		}
		harness.Gone(t, gone)
	}
	n.Ends(driver)
	vanish(t, w.Namespace)
	if code := codeOf(t, logs); code != 1 || !strings.Contains(logNotes.String(), "sparkapplication pi in namespace "+w.Namespace+" was deleted") {
		t.Errorf("logs -f: exit code %d: %s", code, logNotes)
	}
	if code := codeOf(t, waiting); code != 1 || !strings.Contains(waitNotes.String(), "sparkapplication other in namespace "+w.Namespace+" was deleted") {
		t.Errorf("submit --wait: exit code %d: %s", code, waitNotes)
	}
	frames.until(t, "SparkApplications in namespace "+w.Namespace+": none")
	if r := me.calls("list"); r.code != 0 || !strings.Contains(r.problem, "No SparkApplications found in namespace "+w.Namespace) {
		t.Errorf("list afterwards: %+v", r)
	}
}

// vanish deletes a namespace; the API server of these tests has no controller that would finish that.
func vanish(t *testing.T, namespace string) {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if err := env.Client().Delete(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(ns), ns); err != nil {
		t.Fatal(err)
	}
	ns.Spec.Finalizers = nil
	if err := env.Client().SubResource("finalize").Update(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
}

// TestEveryLegalName: names at the ends of what the API server admits, in every command that takes one.
func TestEveryLegalName(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	n := harness.NewNode(t)
	w := harness.NewWorld(t, "", &harness.Kubelet{Run: harness.Manual, Node: n.Name})
	for _, name := range []string{"0", "true", "null", "1e3", "0-1--3e5", strings.Repeat("x", 63)} {
		t.Run(name[:min(len(name), 12)], func(t *testing.T) {
			t.Parallel()
			me := as(t, admin(), w.Namespace)
			app := w.Apply(name)
			driver := w.Run(app)
			n.Writes(driver, "out of "+name+"\n")
			me.sees(words("list"), "\n"+name+" ")
			me.sees(words("list -o name"), "sparkapplication.sparkgate.io/"+name+"\n")
			me.sees([]string{"get", name}, "Name       "+w.Namespace+"/"+name+"\n", driver.Name)
			me.sees([]string{"logs", name}, "out of "+name+"\n")
			me.sees([]string{"explain", name}, w.Namespace+"/"+name+" holds quota")
			me.sees([]string{"events", name}, "Running")
			me.sees([]string{"__complete", "get", name[:1]}, name+"\n")
			var read v1alpha1.SparkApplication
			if err := yaml.Unmarshal([]byte(me.sees([]string{"get", name, "-o", "yaml"})), &read); err != nil || read.Name != name {
				t.Errorf("-o yaml: %v, name %q", err, read.Name)
			}
			me.sees([]string{"suspend", name}, name)
			w.Reach(app, v1alpha1.SuspendedReason)
			me.sees([]string{"delete", name}, name)
		})
	}
}
