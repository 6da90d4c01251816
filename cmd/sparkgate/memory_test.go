// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"runtime/debug"
	"testing"
)

// TestLimitMemory: Go's limit follows that of the container, unless GOMEMLIMIT is set or the container's limit is not known.
// A value that is not a number is refused.
func TestLimitMemory(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	for name, tt := range map[string]struct {
		environment map[string]string
		want        int64
		fails       bool
	}{
		"1 GiB":          {map[string]string{containerVariable: "1073741824"}, 53687091 * 9, false},
		"GOMEMLIMIT":     {map[string]string{containerVariable: "1073741824", goVariable: "2GiB"}, math.MaxInt64, false},
		"not known":      {nil, math.MaxInt64, false},
		"not a number":   {map[string]string{containerVariable: "1Gi"}, math.MaxInt64, true},
		"less than none": {map[string]string{containerVariable: "-1"}, math.MaxInt64, true},
	} {
		t.Run(name, func(t *testing.T) {
			debug.SetMemoryLimit(math.MaxInt64)
			err := limitMemory(func(name string) string { return tt.environment[name] })
			if (err != nil) != tt.fails {
				t.Errorf("error %v", err)
			}
			if got := debug.SetMemoryLimit(-1); got != tt.want {
				t.Errorf("the limit is %d; want %d", got, tt.want)
			}
		})
	}
}
