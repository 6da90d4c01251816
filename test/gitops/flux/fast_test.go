// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package flux

import (
	"testing"

	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestFinalizerOfThePolicy: with config/fast the API server puts the operator's finalizer on what Flux creates. Flux sees no difference
// to Git, takes back what is removed from Git, and prunes as ever.
func TestFinalizerOfThePolicy(t *testing.T) {
	harness.InstallFast(t)
	w := newWorld(t, "8Gi")
	first := w.deploy(files{"jobs/app.yaml": w.Manifest("pi", `arguments: ["8"]`)}, map[string][]string{"jobs": nil})
	w.Succeed(w.App("pi"))
	w.ready("jobs", first)
	w.HasFinalizerOfPolicy("pi")

	before := w.Stored("pi")
	w.reconciled("Kustomization", "jobs")
	if after := w.Stored("pi"); after.ResourceVersion != before.ResourceVersion {
		t.Errorf("Flux has written %s, was %s", after.ResourceVersion, before.ResourceVersion)
	}

	second := w.push(files{"jobs/app.yaml": w.Manifest("pi")})
	w.Succeed(w.App("pi"))
	w.ready("jobs", second)
	if got := w.Stored("pi").Spec.Arguments; got != nil {
		t.Errorf("Flux has left the arguments %v", got)
	}
	w.Ran("pi", "1/1", "2/1")

	third := w.push(files{"jobs/app.yaml": "", "jobs/README.md": "No jobs.\n"})
	harness.Gone(t, w.App("pi"))
	w.ready("jobs", third)
	w.Unused()
}
