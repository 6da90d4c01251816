// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package metricseries

import (
	"slices"
	"testing"
)

func TestSources(t *testing.T) {
	t.Parallel()
	var s Sources[string]
	a, b, later := "a", "b", "later"
	s.Set("b", &b)
	s.Set("a", &a)
	s.Set("a", &later)
	s.Drop("a", &a) // was replaced
	if got := s.All(); !slices.Equal(got, []*string{&later, &b}) {
		t.Errorf("%d sources, want the later one of a and that of b", len(got))
	}
	s.Drop("a", &later)
	if got := s.All(); !slices.Equal(got, []*string{&b}) {
		t.Errorf("%d sources, want that of b", len(got))
	}
}
