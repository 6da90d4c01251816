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

// TestTwoOwners: an application that two Kustomizations declare differently runs at every pass of each, and each such run
// says so and names both. A manifest that moves from one to the other runs nothing and says nothing, nor does a later
// change of it.
func TestTwoOwners(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	applied := func(by string, arguments ...string) {
		w.edit("is applied by "+by, func(a *v1alpha1.SparkApplication) {
			a.Labels = map[string]string{"kustomize.toolkit.fluxcd.io/name": by, "kustomize.toolkit.fluxcd.io/namespace": "team-a"}
			a.Spec.Arguments = arguments
		})
	}
	told := func() string {
		from := len(w.log)
		w.settle()
		if w.app.Status.Times.Finished == nil {
			w.runs()
			w.settle()
			w.exits(0, "Completed")
			w.settle()
		}
		text := strings.Join(w.log[from:], "\n")
		_, text, _ = strings.Cut(text, "warning: "+twoOwnersReason+": ")
		text, _, _ = strings.Cut(text, "\n")
		return text
	}
	for _, step := range []struct{ by, argument, want string }{
		{by: "jobs", argument: "1"},
		{by: "jobs", argument: "2"},
		{by: "moved", argument: "2"},
		{by: "moved", argument: "3"},
		{by: "other", argument: "4", want: "run 4 has the run template of Kustomization team-a/other, and run 3 had that of Kustomization team-a/moved: if both declare this " +
			"application, it runs again at every pass of each; remove it from one of them"},
		{by: "moved", argument: "3", want: "run 5 has the run template of Kustomization team-a/moved, and run 4 had that of Kustomization team-a/other: if both declare this " +
			"application, it runs again at every pass of each; remove it from one of them"},
	} {
		applied(step.by, step.argument)
		if got := told(); got != step.want {
			t.Errorf("%s %s: got %q, want %q\n%s", step.by, step.argument, got, step.want, w.story())
		}
	}
	if owner := w.app.Status.AppliedBy; owner != "Kustomization team-a/moved" || w.app.Status.Run != 5 {
		t.Errorf("run %d, applied by %q", w.app.Status.Run, owner)
	}
}
