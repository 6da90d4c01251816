// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package flux

import (
	"testing"

	"github.com/sparkgate/sparkgate/test/gitops/testbed"
)

// TestPushToDriver measures from `git push` to the driver's pod. With -v it prints both parts; docs/gitops.md has the figures.
func TestPushToDriver(t *testing.T) {
	w := newWorld(t, "")
	w.deploy(files{"jobs/README.md": "Jobs.\n"}, map[string][]string{"jobs": {"wait: false"}})
	w.MeasurePushes(testbed.Pushes{
		Tool:   "Flux",
		Notice: func() { w.request("GitRepository", "jobs") },
		Done:   func(commit string) { w.ready("jobs", revisionOf(commit)) },
	})
}
