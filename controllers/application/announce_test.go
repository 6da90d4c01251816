// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"testing"

	"k8s.io/client-go/tools/events"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
)

// TestEventsOnlyPrint: an event prints its message on one line, without control sequences for terminals.
func TestEventsOnlyPrint(t *testing.T) {
	t.Parallel()
	recorder := events.NewFakeRecorder(1)
	p := passOver(New(Options{Recorder: recorder}), &v1alpha1.SparkApplication{})
	p.announcer.announce(lifecycle.Event{Warning: true, Reason: "Failed", Message: "a\nb\x1b[2J\u202e%d"})
	const want = `Warning Failed a\nb\x1b[2J\u202e%d`
	if got := <-recorder.Events; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
