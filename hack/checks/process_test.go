// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

import (
	"slices"
	"testing"
)

// TestTheProductStartsNoProcess: no submission waits for another program, or is as slow and as large as one.
func TestTheProductStartsNoProcess(t *testing.T) {
	t.Parallel()
	packages, err := ListPackages(root)
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, p := range packages {
		if !matchAny([]string{"api/...", "queueing/...", "controllers/...", "cmd/..."}, p.Path) {
			continue
		}
		if read++; slices.Contains(p.Imports, "os/exec") {
			t.Errorf("%s starts other programs", relative(p.Path))
		}
	}
	if read == 0 {
		t.Error("no package of the product was read")
	}
}
