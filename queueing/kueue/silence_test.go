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
	silent := verdict{Verdict: waiting(queueing.ReasonWaitingForGate, "has not evaluated"), silent: true}
	said := verdict{Verdict: waiting(queueing.ReasonWaitingForQuota, "1 more needed")}
	for name, tt := range map[string]struct {
		v     verdict
		after time.Duration
		want  queueing.State
		wakes wakes
	}{
		"silent at first":  {silent, 0, queueing.Undecided, wakes{toleratedSilence}},
		"silent meanwhile": {silent, toleratedSilence - time.Second, queueing.Undecided, wakes{time.Second}},
		"silent for long":  {silent, toleratedSilence, queueing.Waiting, nil},
		"has spoken":       {said, 0, queueing.Waiting, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock, woken := testclock.NewFakeClock(noon.Time), &wakes{}
			g := &Gate{o: Options{Clock: clock, Waker: woken}, tracker: tracker{clock: clock, asking: map[queueing.Key]asker{}}}
			g.trackAsk(key)
			clock.Step(tt.after)
			if got := g.hideShortSilence(key, g.trackAsk(key), tt.v); got.State != tt.want {
				t.Errorf("verdict %+v, want %s", got, tt.want)
			}
			if diff := cmp.Diff(tt.wakes, *woken, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("looks again (-want +got):\n%s", diff)
			}
		})
	}
}
