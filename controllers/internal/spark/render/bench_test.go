// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import "testing"

// BenchmarkBuild is what the operator spends on the objects of one attempt.
func BenchmarkBuild(b *testing.B) {
	in := inputOf(b, nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Build(in); err != nil {
			b.Fatal(err)
		}
	}
}
