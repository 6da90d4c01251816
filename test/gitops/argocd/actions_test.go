// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// offers holds what Argo CD offers for an object, by whether it can be taken.
func (w *world) offers(kind, name string, want map[string]bool) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.actions(kind, name)); diff != "" {
		w.t.Errorf("actions of %s %s (-want +got):\n%s", kind, name, diff)
	}
}

// TestActionsOfAnApplication: run again, suspend and resume by Argo CD's API server. None of them is a difference to Git, which would be
// repaired, however Argo CD applies.
func TestActionsOfAnApplication(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]way{"client-side": {}, "server-side": {sync: []string{"ServerSideApply=true"}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newWorld(t, "8Gi").takesActions(how)
		})
	}
}

// takesActions takes every action on an application.
func (w *world) takesActions(how way) {
	w.t.Helper()
	revision := w.deployWith(files{"jobs/app.yaml": w.Manifest("pi")}, how)
	app := w.App("pi")
	w.Succeed(app)
	w.is(healthy, revision)
	w.offers(v1alpha1.SparkApplicationKind, "pi", map[string]bool{"run-again": true, "suspend": true, "resume": false})
	if !slices.ContainsFunc(w.nodes(), func(n node) bool { return n.Kind == "Pod" }) {
		w.t.Error("the page does not show the driver below its application")
	}

	w.act(v1alpha1.SparkApplicationKind, "pi", "run-again")
	harness.Eventually(w.t, app, "in its second run", func(a *v1alpha1.SparkApplication) bool { return a.Status.Run == 2 })
	w.Run(app)
	w.shows("pi", "Running", progressing, revision)

	w.act(v1alpha1.SparkApplicationKind, "pi", "suspend")
	w.shows("pi", "Suspended", suspended, revision)
	w.Unused()
	w.offers(v1alpha1.SparkApplicationKind, "pi", map[string]bool{"run-again": true, "suspend": false, "resume": true})

	w.act(v1alpha1.SparkApplicationKind, "pi", "resume")
	w.Succeed(app)
	w.shows("pi", "Succeeded", healthy, revision)
	w.Ran("pi", "1/1", "2/1", "2/2")
}

// TestGitDecides: what Git says of suspend stays: resumed by an action, the application is suspended again.
func TestGitDecides(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	revision := w.deploy(files{"jobs/app.yaml": w.Manifest("pi", "suspend: true")})
	w.is(suspended, revision)
	before := w.Stored("pi").Generation
	w.act(v1alpha1.SparkApplicationKind, "pi", "resume")
	harness.Eventually(t, w.App("pi"), "suspended again", func(a *v1alpha1.SparkApplication) bool {
		return a.Generation >= before+2 && a.Spec.Suspend
	})
	w.is(suspended, revision)
}

// schedule returns a schedule of this world as it stands in Git.
func (w *world) schedule(name string, lines ...string) string {
	_, template, _ := strings.Cut(strings.ReplaceAll(w.Manifest("x"), "\n", "\n    "), "metadata: {name: x}\n")
	text := fmt.Sprintf("apiVersion: sparkgate.io/v1alpha1\nkind: ScheduledSparkApplication\nmetadata: {name: %s}\nspec:\n  schedule: \"0 0 29 2 *\"\n", name)
	for _, line := range lines {
		text += "  " + line + "\n"
	}
	return text + "  template:\n" + strings.TrimRight(template, " ")
}

// child waits until Argo CD shows so many applications below a schedule, and returns the name of the one that has not ended.
func (w *world) child(schedule string, count int) (name string) {
	w.t.Helper()
	env.UntilSeen(w.t, "Argo CD shows the application of the schedule", func() (bool, []node) {
		var below []node
		for _, n := range w.nodes() {
			if n.Kind == v1alpha1.SparkApplicationKind && len(n.ParentRefs) == 1 && n.ParentRefs[0].Name == schedule {
				below = append(below, n)
				if n.Health.Status == progressing {
					name = n.Name
				}
			}
		}
		return len(below) == count && name != "", below
	})
	w.Run(w.App(name))
	return name
}

// replaced returns a text with a part replaced by another one.
func replaced(text, old, by string) string { return strings.Replace(text, old, by, 1) }

// TestActionsOfASchedule: run now, suspend and resume. The application that is run now hangs below the schedule.
func TestActionsOfASchedule(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	revision := w.deploy(files{"jobs/schedule.yaml": w.schedule("nightly")})
	w.is(healthy, revision)
	schedule := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "nightly"}}
	w.offers(v1alpha1.ScheduledSparkApplicationKind, "nightly", map[string]bool{"run-now": true, "suspend": true, "resume": false})

	w.act(v1alpha1.ScheduledSparkApplicationKind, "nightly", "run-now")
	w.End(w.child("nightly", 1), 0)

	w.act(v1alpha1.ScheduledSparkApplicationKind, "nightly", "suspend")
	harness.Eventually(t, schedule, "suspended", func(s *v1alpha1.ScheduledSparkApplication) bool {
		return s.Spec.Suspend && s.Status.ObservedGeneration == s.Generation
	})
	w.offers(v1alpha1.ScheduledSparkApplicationKind, "nightly", map[string]bool{"run-now": true, "suspend": false, "resume": true})
	w.compared()
	w.is(healthy, revision)

	w.act(v1alpha1.ScheduledSparkApplicationKind, "nightly", "resume")
	harness.Eventually(t, schedule, "resumed", func(s *v1alpha1.ScheduledSparkApplication) bool {
		return !s.Spec.Suspend && s.Status.ObservedGeneration == s.Generation
	})
	w.is(healthy, revision)
}

// TestHealthOfASchedule: a schedule with readyWhen: LastRunSucceeded is Degraded from a failed run to the next good one, and a mistake in it is
// Degraded at once.
func TestHealthOfASchedule(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	revision := w.deploy(files{"jobs/schedule.yaml": w.schedule("nightly", "readyWhen: LastRunSucceeded")})
	w.is(healthy, revision)
	for run, want := range []struct {
		code   int32
		health string
	}{{1, degraded}, {0, healthy}} {
		w.act(v1alpha1.ScheduledSparkApplicationKind, "nightly", "run-now")
		w.End(w.child("nightly", run+1), want.code)
		w.is(want.health, revision)
	}
	mistaken := w.push(files{"jobs/schedule.yaml": replaced(w.schedule("nightly"), "0 0 29 2 *", "0 0 31 2 *")})
	w.is(degraded, mistaken)
}
