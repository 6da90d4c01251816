// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"syscall"
	"testing"
	"time"
)

// BenchmarkBuild is what the operator spends on the objects of one attempt. Its own figure counts CPU time, collection of garbage included,
// so that it says the same on a machine that is also in use by others.
func BenchmarkBuild(b *testing.B) {
	in := inputOf(b, nil)
	b.ReportAllocs()
	before := processorTime(b)
	for b.Loop() {
		if _, err := Build(in); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/(processorTime(b)-before).Seconds(), "renders/cpu-s")
}

// processorTime returns what the process has used.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
