// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedules

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// met reports what kubectl wait says of the schedule nightly at once.
func (w *world) met(what string) bool {
	w.t.Helper()
	_, err := env.Kubectl(w.t, "wait", "-n", w.Namespace, "sgsched/nightly", "--for="+what, "--timeout=0")
	return err == nil
}

// TestWaitRecipes: what kubectl wait says of a schedule whose last run has failed, then succeeded, under both values of readyWhen.
func TestWaitRecipes(t *testing.T) {
	w := newWorld(t)
	s := w.apply("nightly", nil)
	if !w.met("condition=Ready") || w.met("condition=LastRunSucceeded") || w.met("condition=LastRunSucceeded=false") {
		t.Error("a schedule without a run is not ready, or has the condition LastRunSucceeded")
	}
	w.pass(s, day)
	w.becomes(s, "run once", func(s *v1alpha1.ScheduledSparkApplication) bool { return s.Status.ActiveCount == 1 })
	app := w.child(s.Status.Active[0])
	w.Kubelet.Finish(t.Context(), w.Run(app), 1, "Error")
	w.Reach(app, v1alpha1.FailedReason)
	w.becomes(s, "failed", func(s *v1alpha1.ScheduledSparkApplication) bool { return s.Status.LastFailedRun != nil })
	if !w.met("condition=Ready") || w.met("condition=Stalled") || !w.met("condition=LastRunSucceeded=false") {
		t.Error("under Scheduled: a failed run makes the schedule not ready, or is not in LastRunSucceeded")
	}
	harness.Change(t, s, func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.ReadyWhen = v1alpha1.ReadyWhenLastRunSucceeded })
	w.observed(s)
	if w.met("condition=Ready") || !w.met("condition=Stalled") || !w.met("condition=LastRunSucceeded=false") {
		t.Error("under LastRunSucceeded: the schedule is ready although its last run has failed")
	}
	w.runRecipe(s)
	if !w.met("condition=Ready") || w.met("condition=Stalled") || !w.met("condition=LastRunSucceeded") {
		t.Error("under LastRunSucceeded: the schedule is not ready although its last run has succeeded")
	}
}

// runRecipe follows the script of the page: the name of the run is known from the token.
func (w *world) runRecipe(s *v1alpha1.ScheduledSparkApplication) {
	w.t.Helper()
	name := "nightly-m-a6f83dce" // printf %s 1790000000 | sha256sum | cut -c1-8
	if out, err := env.Kubectl(w.t, "annotate", "-n", w.Namespace, "sgsched", "nightly", "--overwrite", "--field-manager=flux-client-side-apply",
		"reconcile.fluxcd.io/requestedAt=1790000000", "reconcile.fluxcd.io/forceAt=1790000000"); err != nil {
		w.t.Fatal(out, err)
	}
	if out, err := env.Kubectl(w.t, "wait", "-n", w.Namespace, "sgapp/"+name, "--for=create", "--timeout=1m"); err != nil {
		w.t.Fatal(out, err)
	}
	w.Succeed(w.child(name))
	w.becomes(s, "succeeded", func(s *v1alpha1.ScheduledSparkApplication) bool {
		return s.Status.LastSuccessfulRun != nil && s.Status.LastSuccessfulRun.Name == name
	})
}

// refusedBy waits until the API server would refuse an object with these words.
func (w *world) refusedBy(obj client.Object, words string) {
	w.t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(w.t.Context(), 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		last = env.Client().Create(ctx, obj.DeepCopyObject().(client.Object), client.DryRunAll)
		return last != nil && strings.Contains(last.Error(), words), nil
	})
	if err != nil {
		w.t.Fatalf("%s is answered with %v, want %q", obj.GetName(), last, words)
	}
}

// TestPolicies: an admission policy on applications holds for the templates of schedules, and the policy of the page refuses such a
// schedule when it is applied.
func TestPolicies(t *testing.T) {
	w := newWorld(t)
	page, err := os.ReadFile(filepath.Join(env.Root(), "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Schedules create applications with the operator's rights\n")
	_, policy, _ := strings.Cut(section, "\n```yaml\n")
	policy, _, _ = strings.Cut(policy, "```")
	// Of this namespace only.
	policy = strings.Replace(policy, "  matchConstraints:\n", "  matchConstraints:\n    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: "+w.Namespace+"}}\n", 1)
	const words = "use an image of registry.example.com"
	apply := func(policy string) {
		if out, err := env.KubectlWith(t, policy, "apply", "-f", "-"); err != nil {
			t.Fatal(out, err)
		}
	}
	apply(strings.Replace(policy, "resources: [sparkapplications, scheduledsparkapplications]", "resources: [sparkapplications]", 1))
	w.refusedBy(w.Pi("probe"), words)
	s := w.apply("on-applications", nil)
	if ready := condition(s, "Ready"); ready.Reason != v1alpha1.InvalidSpecReason || !strings.Contains(ready.Message, words) {
		t.Errorf("Ready is %+v, want the words of the policy", ready)
	}
	apply(policy)
	w.refusedBy(w.schedule("on-both", nil), words)
}
