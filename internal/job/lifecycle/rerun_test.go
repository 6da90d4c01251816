// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

// TestNextRunIsToldOnce: however long the message is, it ends with the run that follows, and the event comes once.
func TestNextRunIsToldOnce(t *testing.T) {
	t.Parallel()
	const follows = "run 2 follows this one: the run template has changed"
	for name, obstacle := range map[string]string{
		"short": "refused", "long": strings.Repeat("ü", status.MaxMessage), "control characters": strings.Repeat("\x01", status.MaxMessage),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.settle()
			w.runs()
			w.settle()
			w.edit("changes the arguments", func(a *v1alpha1.SparkApplication) { a.Spec.Arguments = []string{"5"} })
			st := &state{o: Observation{Now: w.now, App: w.app}, was: status.Running, s: *w.app.Status.DeepCopy()}
			first := publish(st, status.Finalizing, obstacle)
			w.app.Status = first.Status
			st = &state{o: Observation{Now: w.now, App: w.app}, was: status.Finalizing, s: *w.app.Status.DeepCopy()}
			message, _, _ := strings.Cut(readyMessage(w.app), nextRunNote(1))
			second := publish(st, status.Finalizing, message)
			if len(first.Events) != 1 || first.Events[0].Message != follows || len(second.Events) != 0 {
				t.Errorf("events %v, then %v, want one", first.Events, second.Events)
			}
			said := readyMessage(w.app)
			if !strings.HasSuffix(said, "; "+follows) || len(said) > status.MaxMessage {
				t.Errorf("%d bytes: %s", len(said), said)
			}
			w.app.Status = second.Status
			if again := readyMessage(w.app); again != said {
				t.Errorf("the message changes from\n%s\nto\n%s", said, again)
			}
		})
	}
}
