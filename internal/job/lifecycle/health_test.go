// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"strings"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// TestExecutorsThatFailAtTheirStart: an executor whose JVM lives for a moment does not make the attempt ready.
func TestExecutorsThatFailAtTheirStart(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		age    time.Duration
		failed int32
		peak   int32
		want   bool
	}{
		"it has just started": {age: time.Second, peak: 1},
		"it runs":             {age: 5 * time.Second, peak: 1, want: true},
		"by the clock of its node it has not yet":       {age: -time.Minute, peak: 1, want: true},
		"one has failed, the next one has just started": {age: 2 * time.Second, failed: 1, peak: 1},
		"one has failed, the next one runs":             {age: time.Minute, failed: 1, peak: 1, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.settle()
			w.runs()
			w.settle()
			st := &state{o: Observation{Now: w.now, App: w.app, Pods: w.visible(), ReadyPeak: ReadyPeak{tc.peak, w.now.Add(-time.Minute)}}, s: w.app.Status}
			executor := &pods.Record{Origin: &pods.Origin{Run: st.s.Run, Attempt: st.s.Attempt}, Trouble: &pods.Trouble{}, Role: pods.Executor, Phase: "Running", Node: "n",
				Running: true, Ready: true, StartedAt: uint32(w.now.Add(-tc.age).Unix())}
			st.o.Pods = append(st.o.Pods, executor)
			st.s.Executors = &v1alpha1.ExecutorStatus{Wanted: 1, Failed: tc.failed}
			if got := !readySince(st).IsZero(); got != tc.want {
				t.Errorf("ready: %t, want %t", got, tc.want)
			}
		})
	}
}

// TestADriverThatIsNotReady: a container that keeps the driver's Service without an address is named, after a minute.
func TestADriverThatIsNotReady(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.settle()
	w.runs()
	w.settle()
	st := &state{o: Observation{Now: w.now.Add(unreadyAfter), App: w.app, Pods: w.visible()}, s: w.app.Status}
	st.driver().Trouble = &pods.Trouble{Unready: "containers with unready status: [proxy]"}
	if got := unreadyDriver(st); !strings.Contains(got, "[proxy]") || !strings.Contains(got, "its Service has no address") {
		t.Errorf("got %q", got)
	}
	if st.o.Now = w.now; unreadyDriver(st) != "" {
		t.Error("it is said at once")
	}
}
