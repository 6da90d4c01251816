// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

func TestExponentialBackoff(t *testing.T) {
	t.Parallel()
	const first, longest = 10 * time.Second, 5 * time.Minute
	for nth, want := range map[int32]time.Duration{0: first, 1: first, 2: 20 * time.Second, 5: 160 * time.Second, 6: longest, 1 << 30: longest} {
		if got := exponentialBackoff(first, 2, nth, longest); got != want {
			t.Errorf("pause %d is %s, want %s", nth, got, want)
		}
	}
	if got := exponentialBackoff(first, 1, 1000, longest); got != first {
		t.Errorf("with factor 1 the pause is %s, want %s", got, first)
	}
	if got := exponentialBackoff(time.Hour, 2, 1, longest); got != longest {
		t.Errorf("a first pause above the longest is %s, want %s", got, longest)
	}
	const century = 876_000 * time.Hour
	if got := exponentialBackoff(century/2, 10, 3, century); got != century {
		t.Errorf("the longest pause that can be written is %s, want %s", got, century)
	}
}

// TestBackoffWithoutAMaximum: who sets only a first pause gets it, also one that is longer than the default of the longest.
func TestBackoffWithoutAMaximum(t *testing.T) {
	t.Parallel()
	for first, want := range map[time.Duration][]time.Duration{
		time.Minute:      {time.Minute, 2 * time.Minute, 4 * time.Minute, DefaultLongestBackoff},
		30 * time.Minute: {30 * time.Minute, 30 * time.Minute},
	} {
		w := newWorld(t)
		w.app.Spec.RestartPolicy = &v1alpha1.RestartPolicy{Backoff: &v1alpha1.Backoff{Initial: &v1alpha1.Duration{Duration: first}}}
		for i, pause := range want {
			st := &state{o: Observation{App: w.app}, s: v1alpha1.SparkApplicationStatus{Failures: int32(i + 1)}}
			if got := backoff(st, &v1alpha1.AttemptStatus{Outcome: v1alpha1.OutcomeFailed}); got != pause {
				t.Errorf("first pause %s, after failure %d: %s, want %s", first, i+1, got, pause)
			}
		}
	}
}

// The pause of an attempt is never shorter than asked for, never longer by more than a tenth and a second, and the same each time.
func TestJitter(t *testing.T) {
	t.Parallel()
	seen := map[time.Duration]bool{}
	for attempt := range int64(100) {
		w := newWorld(t)
		w.app.Status.Attempt = attempt
		st := &state{o: Observation{Now: epoch, App: w.app}, s: w.app.Status}
		const pause = 100 * time.Second
		pauseFor(st, pause)
		got := st.s.Times.Retry.Sub(epoch)
		if got < pause || got > pause+pause/jitterShare+time.Second {
			t.Errorf("a pause of %s became %s", pause, got)
		}
		seen[got] = true
	}
	if len(seen) < 5 {
		t.Errorf("100 attempts pause in %d ways only", len(seen))
	}
}
