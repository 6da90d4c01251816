// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rerun changes applications before, during and after a run, and asks for further runs.
package rerun

import (
	"os"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

// operator of all tests of the package.
var operator harness.Shared

// arguments replaces the arguments of the program.
func arguments(args ...string) func(*v1alpha1.SparkApplication) {
	return func(app *v1alpha1.SparkApplication) { app.Spec.Arguments = args }
}

// onTemplateChange sets the policy.
func onTemplateChange(policy v1alpha1.TemplateChangePolicy) func(*v1alpha1.SparkApplication) {
	return func(app *v1alpha1.SparkApplication) { app.Spec.OnTemplateChange = policy }
}

// runs checks that a driver executes the given argument in the given run.
func runs(t *testing.T, driver *corev1.Pod, run, argument string) {
	t.Helper()
	if got := driver.Labels[v1alpha1.RunLabel]; got != run {
		t.Errorf("driver %s belongs to run %s, want %s", driver.Name, got, run)
	}
	if args := driver.Spec.Containers[0].Args; !slices.Contains(args, argument) {
		t.Errorf("the driver of run %s has the arguments %q, want %s among them", run, args, argument)
	}
}

// outcomes returns the ended attempts of an application, each as "run/attempt outcome".
func outcomes(app *v1alpha1.SparkApplication) []string {
	var all []string
	for _, a := range app.Status.Attempts {
		all = append(all, attempt(a.Run, a.Attempt)+" "+string(a.Outcome))
	}
	return all
}
