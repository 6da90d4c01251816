// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package requeue

import (
	"testing"
	"time"
)

// TestLookAgain: the earliest of several times counts. A time in the past is not dropped, although controller-runtime
// drops a negative RequeueAfter.
func TestLookAgain(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		asked []time.Duration
		want  time.Duration
	}{
		"never":               {nil, 0},
		"once":                {[]time.Duration{time.Minute}, time.Minute},
		"earlier":             {[]time.Duration{time.Minute, time.Second}, time.Second},
		"later":               {[]time.Duration{time.Second, time.Minute}, time.Second},
		"over":                {[]time.Duration{-time.Second}, time.Millisecond},
		"over, after another": {[]time.Duration{time.Minute, -time.Second, time.Minute}, time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got time.Duration
			for _, after := range tt.asked {
				got = Within(got, after)
			}
			if got != tt.want {
				t.Errorf("it looks again after %s, want %s", got, tt.want)
			}
		})
	}
}
