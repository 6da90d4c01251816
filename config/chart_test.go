// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheChartHasTheseCRDs, and no others. What else it takes from here is compared by hack/chart and test/integration/chart.
func TestTheChartHasTheseCRDs(t *testing.T) {
	t.Parallel()
	specs := func(pattern string) map[string]any {
		byName := map[string]any{}
		for _, c := range documents[struct {
			Metadata struct{ Name string }
			Spec     map[string]any
		}](t, pattern) {
			byName[c.Metadata.Name] = c.Spec
		}
		return byName
	}
	want, got := specs("crd/bases/*.yaml"), specs(filepath.Join("chart", "sparkgate", "crds", "*.yaml"))
	for name := range want {
		if !cmp.Equal(want[name], got[name]) {
			t.Errorf("the chart has another %s: run make manifests", name)
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("the chart has %s, which does not exist: remove it", name)
	}
}
