// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"testing"

	"github.com/sparkgate/sparkgate/test/gitops/testbed"
)

// TestPushToDriver measures from `git push` to the driver's pod. With -v it prints both parts; docs/gitops.md has the figures.
func TestPushToDriver(t *testing.T) {
	w := newWorld(t, "")
	revision := w.deploy(files{"jobs/README.md": "Jobs.\n"})
	w.is(healthy, revision)
	w.MeasurePushes(testbed.Pushes{
		Tool:   "Argo CD",
		Notice: func() { w.refresh("normal") },
		Done:   func(commit string) { w.is(healthy, commit) },
	})
}
