// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package randtest

import "testing"

func TestSpan(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		first, times uint64
		from, to     uint64
	}{
		"as usual":             {from: 1, to: 60},
		"one again":            {first: 17, from: 17, to: 17},
		"many more":            {times: 10, from: 1, to: 600},
		"many more, from here": {first: 17, times: 10, from: 17, to: 616},
		"as many, from here":   {first: 61, times: 1, from: 61, to: 120},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if from, to := span(60, tc.first, tc.times); from != tc.from || to != tc.to {
				t.Errorf("seeds %d to %d, want %d to %d", from, to, tc.from, tc.to)
			}
		})
	}
}

// TestEach counts on: a test that fails cannot be shown to fail.
func TestEach(t *testing.T) {
	t.Parallel()
	var sum uint64
	if played := Each(t, 4, func(seed uint64) { sum += seed }); *firstFlag == 0 && *timesFlag == 0 && (played != 4 || sum != 10) {
		t.Errorf("%d seeds with the sum %d, want 4 with the sum 10", played, sum)
	}
}

func TestAgain(t *testing.T) {
	t.Parallel()
	want := "play it again: go test github.com/sparkgate/sparkgate/internal/testing/randtest -run '^TestAgain$' -seed=17"
	if got := again(t.Name(), 17); got != want {
		t.Errorf("command:\n got %s\nwant %s", got, want)
	}
}
