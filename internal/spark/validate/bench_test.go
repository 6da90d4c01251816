// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import "testing"

// BenchmarkApplication is what the operator spends on looking through one application.
func BenchmarkApplication(b *testing.B) {
	app := spec("driver: {memory: 1g, labels: {a: b}}\nexecutor: {instances: 10}").application(b)
	b.ReportAllocs()
	for b.Loop() {
		if findings := Application(app); len(findings) > 0 {
			b.Fatal(findings)
		}
	}
}
