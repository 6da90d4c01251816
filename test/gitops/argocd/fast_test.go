// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"testing"

	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestFinalizerOfThePolicy: with config/fast the API server puts the operator's finalizer on what Argo CD creates. Argo CD sees no
// difference to Git, takes back what is removed from Git, and prunes as ever.
func TestFinalizerOfThePolicy(t *testing.T) {
	harness.InstallFast(t)
	for name, how := range ways {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "8Gi")
			first := w.deployWith(files{"jobs/app.yaml": w.Manifest("pi", `arguments: ["8"]`)}, how)
			w.Run(w.App("pi"))
			w.shows("pi", "Running", progressing, first)
			w.HasFinalizerOfPolicy("pi")
			w.End("pi", 0)
			w.shows("pi", "Succeeded", healthy, first)

			second := w.push(files{"jobs/app.yaml": w.Manifest("pi")})
			w.Succeed(w.App("pi"))
			w.shows("pi", "Succeeded", healthy, second)
			if got := w.Stored("pi").Spec.Arguments; got != nil {
				t.Errorf("Argo CD has left the arguments %v", got)
			}
			w.Ran("pi", "1/1", "2/1")

			w.push(files{"jobs/app.yaml": "", "jobs/other.yaml": w.Manifest("other", "suspend: true")})
			harness.Gone(t, w.App("pi"))
			w.Unused()
		})
	}
}
