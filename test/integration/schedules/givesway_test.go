// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedules

import (
	"strings"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestCorrectedInGit: a template asks for what does not exist, or for more than its queue has. It is corrected in the schedule, which does not reach
// the application that stands still: the next run takes its place.
func TestCorrectedInGit(t *testing.T) {
	for name, tc := range map[string]struct {
		wrong, reason string
	}{
		"a queue that does not exist":     {`"queue":{"name":"teem-a"},`, "ReferenceNotFound"},
		"a ConfigMap that does not exist": {`"sparkConfigMap":"conf-7h2k9",`, "ReferenceNotFound"},
		"more than the queue has":         {`"driver":{"memory":"900g"},`, "ExceedsQuota"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{World: harness.NewWorld(t, harness.MemoryFor(4), nil), t: t, clock: &harness.Clock{}}
			harness.StartOperator(t, harness.OperatorOptions{Clock: w.clock, ReferenceTimeout: time.Minute})
			right := ""
			s := w.apply("nightly", func(s *v1alpha1.ScheduledSparkApplication) {
				right = string(s.Spec.Template.Spec.Raw)
				s.Spec.Template.Spec.Raw = []byte(broken(t, right, tc.wrong))
			})
			first := w.next(s)
			w.clock.Advance(first.Sub(w.clock.Now()) + time.Second)
			w.hasRun(s, first)
			app := w.child("nightly-" + minutes(first))
			w.Reach(app, tc.reason)
			w.clock.Advance(2 * time.Minute)
			harness.Eventually(t, app, "stalled", func(a *v1alpha1.SparkApplication) bool {
				return apimeta.IsStatusConditionTrue(a.Status.Conditions, v1alpha1.StalledCondition)
			})
			harness.Change(t, s, func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.Template.Spec.Raw = []byte(right) })
			w.observed(s)
			next := first.Add(day)
			w.clock.Advance(next.Sub(w.clock.Now()) + time.Second)
			w.look(s)
			w.hasRun(s, next)
			if missed := s.Status.Missed; len(missed) != 1 || missed[0].Reason != v1alpha1.MissedSuperseded || missed[0].Count != 1 {
				t.Errorf("missed %+v, want the one that stood still", missed)
			}
			w.Run(w.child("nightly-" + minutes(next)))
			if all := w.children(); len(all) != 1 {
				t.Errorf("%d applications, want the corrected one alone", len(all))
			}
		})
	}
}

// broken replaces or adds a field of a template.
func broken(t *testing.T, template, field string) string {
	t.Helper()
	key, _, _ := strings.Cut(field, ":")
	if before, rest, found := strings.Cut(template, key+":{"); found && strings.Contains(field, "{") {
		_, after, _ := strings.Cut(rest, "},")
		return before + field + after
	}
	return "{" + field + strings.TrimPrefix(template, "{")
}
