// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package argocd

import "testing"

// TestHealthyAtTheEnd: the Application is Progressing while the run is queued and while it runs, and Healthy at its end.
func TestHealthyAtTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "3Gi")
	first := w.Apply("first") // holds the quota
	w.Run(first)
	revision := w.deploy(files{"jobs/app.yaml": w.Manifest("pi")})
	app := w.App("pi")
	w.Reach(app, "Queued")
	w.is(progressing, revision)
	w.End("first", 0)
	w.Run(app)
	w.is(progressing, revision)
	w.End("pi", 0)
	w.is(healthy, revision)
	w.Ran("pi", "1/1")
}
