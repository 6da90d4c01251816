// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

import "testing"

// TestControllersStayAShell keeps knowledge of Spark and of quota, and decisions about runs, out of the packages that talk to the cluster.
func TestControllersStayAShell(t *testing.T) {
	t.Parallel()
	const limit = 25 // percent of the product's lines
	files, err := ReadRepository(root)
	if err != nil {
		t.Fatal(err)
	}
	lines := Weight(files)
	if share := 100 * lines["controllers"] / Total(lines); share >= limit {
		t.Errorf("controllers has %d %% of the product's lines, limit %d %% (%v): move what needs no client to internal or queueing", share, limit, lines)
	}
}
