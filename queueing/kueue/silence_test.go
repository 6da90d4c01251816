// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	testclock "k8s.io/utils/clock/testing"

	"github.com/sparkgate/sparkgate/queueing"
)

// wakes records when an application is to be reconciled again.
type wakes []time.Duration

func (*wakes) Wake(queueing.Key) {}

func (w *wakes) WakeAfter(_ queueing.Key, after time.Duration) { *w = append(*w, after) }

// TestShortSilence: that Kueue has not evaluated a Workload is reported only after it has had time to. Kueue's own messages
// are reported at once.
func TestShortSilence(t *testing.T) {
	t.Parallel()
	key := queueing.Key{Namespace: "default", Name: "pi", UID: "1"}
	for name, tt := range map[string]struct {
		silent bool
		after  time.Duration
		want   queueing.State
		wakes  wakes
	}{
		"silent at first":  {true, 0, queueing.Undecided, wakes{toleratedSilence}},
		"silent meanwhile": {true, toleratedSilence - time.Second, queueing.Undecided, wakes{time.Second}},
		"silent for long":  {true, toleratedSilence, queueing.Waiting, nil},
		"has spoken":       {false, 0, queueing.Waiting, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock, woken := testclock.NewFakeClock(noon.Time), &wakes{}
			a := New(Options{Clock: clock, Waker: woken}).askers
			a.asks(key)
			clock.Step(tt.after)
			a.asks(key)
			if got := a.hideShortSilence(key, waiting(queueing.ReasonWaitingForGate, "m"), tt.silent); got.State != tt.want {
				t.Errorf("verdict %+v, want %s", got, tt.want)
			}
			if diff := cmp.Diff(tt.wakes, *woken, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("looks again (-want +got):\n%s", diff)
			}
		})
	}
}
