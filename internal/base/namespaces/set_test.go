// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package namespaces

import (
	"slices"
	"testing"
)

func TestSet(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set    Set
		scopes []string
		etl    bool
		other  bool
	}{
		"all":  {nil, []string{""}, true, true},
		"one":  {Set{"etl"}, []string{"etl"}, true, false},
		"some": {Set{"ads", "etl"}, []string{"ads", "etl"}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.set.Scopes(); !slices.Equal(got, c.scopes) {
				t.Errorf("scopes %q, want %q", got, c.scopes)
			}
			if got := [2]bool{c.set.Has("etl"), c.set.Has("other")}; got != [2]bool{c.etl, c.other} {
				t.Errorf("has etl and other: %v", got)
			}
		})
	}
}
