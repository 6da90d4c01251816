// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"testing"
)

func TestParseRenderings(t *testing.T) {
	t.Parallel()
	const out = "goos: linux\nBenchmarkBuild \t 20000\t 157007 ns/op\t 14202 renders/cpu-s\t 31630 B/op\t 194 allocs/op\n" +
		"BenchmarkBuild-2 1 2 ns/op 3 renders/cpu-s 4 B/op 5 allocs/op\nPASS\nok x 1s\n"
	want := []rendering{{14202, 31630, 194}, {3, 4, 5}}
	if got := parseRenderings(out); !slices.Equal(got, want) {
		t.Errorf("figures %v, want %v", got, want)
	}
	if got := parseRenderings("FAIL\n"); got != nil {
		t.Errorf("figures of nothing: %v", got)
	}
}
