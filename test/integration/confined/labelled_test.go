// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package confined

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestNamespacesByLabel: an operator deals with the namespaces that have a label and its RoleBindings. One without them does
// not hold it up, one that gains them is taken, and one that loses the label is left alone.
func TestNamespacesByLabel(t *testing.T) {
	first, second := harness.NewWorld(t, "3Gi", nil), harness.NewWorld(t, "3Gi", nil)
	label := func(w *harness.World, value string) {
		harness.Change(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}, func(n *corev1.Namespace) {
			n.Labels["example.org/spark"] = value
		})
	}
	label(first, "enabled")
	installRoles(t)
	bindRoles(t, first.Namespace)
	program := harness.BuildProgram(t)
	program.Namespace = "sparkgate-system"
	p := program.As(t, account).Start(t, append(leases, "--namespace-selector=example.org/spark=enabled")...)
	first.Succeed(first.Apply("alone"))

	label(second, "enabled")
	waits := second.Apply("waits")
	env.UntilSeen(t, "the operator leaves out the namespace", func() (bool, any) {
		return strings.Contains(p.Log(), "Leaving out a namespace"), p.Log()
	})
	first.Succeed(first.Apply("beside"))
	if get(t, waits); waits.Status.ObservedGeneration > 0 {
		t.Errorf("an application is taken without rights: %s", harness.Show(waits))
	}
	bindRoles(t, second.Namespace)
	second.Succeed(waits)
	first.Succeed(first.Apply("with-the-second"))

	label(first, "disabled")
	env.UntilSeen(t, "the operator gives up the namespace", func() (bool, any) {
		return strings.Contains(p.Log(), `left [\"`+first.Namespace+`\"]`), p.Log()
	})
	left := first.Apply("left-alone")
	second.Succeed(second.Apply("last"))
	if get(t, left); left.Status.ObservedGeneration > 0 || len(left.Finalizers) > 0 {
		t.Errorf("an application without the label is taken: %s", harness.Show(left))
	}
	select {
	case <-p.Ended():
		t.Errorf("the operator has ended:\n%s", p.Log())
	default:
	}
	if strings.Contains(p.Log(), "forbidden") {
		t.Errorf("it lacks a right:\n%s", p.Log())
	}
}

func get(t *testing.T, app *v1alpha1.SparkApplication) {
	t.Helper()
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(app), app); err != nil {
		t.Fatal(err)
	}
}
