// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// still is a clock whose time stands still, and whose timers do not.
type still struct {
	clock.RealClock
	at time.Time
}

func (s still) Now() time.Time { return s.at }

func (s still) Since(t time.Time) time.Duration { return s.at.Sub(t) }

// TestWritesOfALife counts what the operator writes for applications that do not wait, from apply to succeeded, without stage events.
// Its clock stands still, so nothing is written only because time has passed: docs/architecture.md, "What is written when", has the rest.
//
// It is not parallel: its operator would deal with the applications of other tests.
func TestWritesOfALife(t *testing.T) {
	network := harness.NewNetwork(nil)
	w := harness.NewWorld(t, "64Gi", nil)
	harness.StartOperator(t, harness.OperatorOptions{Network: network.Wrap, FewEvents: true, Clock: still{at: time.Now()}})
	w.Succeed(w.Apply("first")) // the queue is taken over, and has its conditions
	before := len(network.Log())

	const lives = 5
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		app := w.Apply(name)
		driver := w.Run(app)
		for _, executor := range w.Kubelet.Executors(t.Context(), driver, 2) {
			w.Kubelet.Finish(t.Context(), executor, 0, "Completed")
		}
		w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
		w.Reach(app, v1alpha1.SucceededReason)
	}
	counts := map[string]int{}
	for _, write := range network.Log()[before:] {
		counts[kindOf(write)]++
	}
	want := map[string]int{
		"PATCH sparkapplications/status": 3 * lives, "PATCH sparkapplications": lives,
		"POST configmaps": lives, "POST services": lives, "POST pods": lives, "DELETE services": lives,
		"PATCH sparkqueues/status": lives,
	}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("writes of %d lives (-want +got):\n%s", lives, diff)
	}
}

// kindOf returns verb, resource and subresource of a write as the network logs it.
func kindOf(write string) string {
	_, write, _ = strings.Cut(write, " ")
	verb, path, _ := strings.Cut(write, " ")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if i := slices.Index(parts, "namespaces"); i >= 0 {
		parts = parts[i+2:]
	} else {
		parts = parts[3:] // apis, group, version
	}
	if len(parts) > 2 {
		return verb + " " + parts[0] + "/" + parts[2]
	}
	return verb + " " + parts[0]
}
