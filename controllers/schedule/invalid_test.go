// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/tick"
)

// stands sets the condition Ready of an application to false with a reason.
func stands(app *v1alpha1.SparkApplication, reason, message string) {
	app.Status.ObservedGeneration = app.Generation
	apimeta.SetStatusCondition(&app.Status.Conditions, metav1.Condition{
		Type: v1alpha1.ReadyCondition, Status: metav1.ConditionFalse, Reason: reason, Message: message, LastTransitionTime: metav1.NewTime(noon),
	})
}

// TestInvalidCounts: an application without a grant that cannot start counts as a failed run, but only with its current
// spec.
func TestInvalidCounts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		reason string
		change func(*v1alpha1.SparkApplication)
		want   bool
	}{
		"a policy does not allow it":      {v1alpha1.InvalidSpecReason, nil, true},
		"this version does not honour it": {v1alpha1.NotYetSupportedReason, nil, true},
		"it waits":                        {v1alpha1.QueuedReason, nil, false},
		"it is edited":                    {v1alpha1.InvalidSpecReason, func(a *v1alpha1.SparkApplication) { a.Generation++ }, false},
		"it holds quota":                  {v1alpha1.InvalidSpecReason, func(a *v1alpha1.SparkApplication) { a.Status.Grant = &v1alpha1.Grant{} }, false},
		"nothing was said of it":          {"", func(a *v1alpha1.SparkApplication) { a.Status.Conditions = nil }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Name: "nightly-1", Generation: 1, ResourceVersion: "7"}}
			stands(app, tc.reason, "why")
			if tc.change != nil {
				tc.change(app)
			}
			c := stateOf(app)
			if c.Finished != tc.want || c.Stalled != tc.want || c.Succeeded {
				t.Errorf("finished %t, invalid %t, succeeded %t; want %t, %t, false", c.Finished, c.Stalled, c.Succeeded, tc.want, tc.want)
			}
			if tc.want && (!c.Ended.Equal(noon) || c.Message != "why" || c.Version != "7") {
				t.Errorf("ended at %s with message %q, version %s", c.Ended, c.Message, c.Version)
			}
		})
	}
}

// TestStalledGivesWay: a stalled application without a grant has not failed, and is replaced by the next run. One that
// a user holds is not.
func TestStalledGivesWay(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		reason  string
		stalled metav1.ConditionStatus
		grant   *v1alpha1.Grant
		want    bool
	}{
		"it asks for more than the queue has":             {v1alpha1.ExceedsQuotaReason, metav1.ConditionTrue, nil, true},
		"what it names has been missing for long":         {v1alpha1.ReferenceNotFoundReason, metav1.ConditionTrue, nil, true},
		"what it names may come":                          {v1alpha1.ReferenceNotFoundReason, metav1.ConditionFalse, nil, false},
		"its queue has not admitted the namespace so far": {v1alpha1.QueuedReason, metav1.ConditionTrue, nil, true},
		"it was deactivated":                              {v1alpha1.DeactivatedReason, metav1.ConditionTrue, nil, false},
		"it holds quota":                                  {v1alpha1.ExceedsQuotaReason, metav1.ConditionTrue, &v1alpha1.Grant{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Name: "nightly-1", Generation: 1}}
			stands(app, tc.reason, "why")
			apimeta.SetStatusCondition(&app.Status.Conditions, metav1.Condition{Type: v1alpha1.StalledCondition, Status: tc.stalled, Reason: tc.reason})
			app.Status.Grant = tc.grant
			if c := stateOf(app); c.Finished || c.Stalled != tc.want || c.IsInTheWay() == tc.want || tc.want && c.Message != "why" {
				t.Errorf("it is %+v; want that it gives way: %t", c, tc.want)
			}
		})
	}
}

// refuse makes all applications invalid.
func (w *world) refuse() {
	w.Helper()
	list := &v1alpha1.SparkApplicationList{}
	if err := w.List(w.Context(), list); err != nil {
		w.Fatal(err)
	}
	for i := range list.Items {
		stands(&list.Items[i], v1alpha1.InvalidSpecReason, "queue default is not one of the namespace's")
		if err := w.Update(w.Context(), &list.Items[i]); err != nil {
			w.Fatal(err)
		}
	}
}

// TestInvalidForbidsNothing: a schedule continues although its applications cannot start, and under Forbid none of them
// stays beside the next one.
func TestInvalidForbidsNothing(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*v1alpha1.ScheduledSparkApplication)
		want   []string
		missed []v1alpha1.MissedRuns
	}{
		"Forbid": {
			func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.ConcurrencyPolicy = v1alpha1.ConcurrencyForbid }, []string{at(40)},
			[]v1alpha1.MissedRuns{{Reason: v1alpha1.MissedSuperseded, Count: 3, Last: "2026-01-01T12:30:00Z"}},
		},
		"Allow": {func(*v1alpha1.ScheduledSparkApplication) {}, []string{at(30), at(40)}, nil},
		"kept": {func(s *v1alpha1.ScheduledSparkApplication) {
			s.Spec.ConcurrencyPolicy = v1alpha1.ConcurrencyForbid
			s.Spec.Template.Metadata.Annotations = map[string]string{v1alpha1.KeepAnnotation: "true"}
		}, []string{at(10), at(20), at(30), at(40)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tc.change)
			var s *v1alpha1.ScheduledSparkApplication
			for _, ten := range []string{"12:1", "12:2", "12:3", "12:4"} {
				w.until(ten + "1")
				s = w.until(ten + "2") // woken by what was deleted
				if ten != "12:4" {
					w.refuse()
				}
			}
			w.has("at the end", tc.want...)
			if diff := cmp.Diff(tc.missed, s.Status.Missed); diff != "" {
				t.Errorf("missed (-want +got):\n%s", diff)
			}
			if s.Status.ActiveCount != 1 || s.Status.LastFailedRun == nil || s.Status.LastFailedRun.Name != at(30) {
				t.Errorf("active %d, last failed %+v", s.Status.ActiveCount, s.Status.LastFailedRun)
			}
			superseded, want := 0, len(tc.missed)*3
			for len(w.events) > 0 {
				if strings.HasPrefix(<-w.events, "Warning Superseded deleted application nightly-") {
					superseded++
				}
			}
			if superseded != want {
				t.Errorf("%d events of applications that were deleted for the next run, want %d", superseded, want)
			}
			last := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.LastRunSucceededCondition)
			if last == nil || last.Status != metav1.ConditionFalse {
				t.Errorf("the last run: %+v", last)
			}
		})
	}
}

// TestChangedMeanwhile: an application that has changed since it was observed is not deleted: a stalled one may have
// started, a blocking one may have succeeded, and a finished one may have been restarted.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "nightly-1", UID: "x1", ResourceVersion: "8"}}
	for name, seen := range map[string]tick.Child{
		"could not start": {Finished: true, Stalled: true},
		"ran":             {},
		"had ended":       {Finished: true, Succeeded: true},
	} {
		for version, stays := range map[string]bool{"7": true, "8": false} {
			c := clientWith(t, app)
			s := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a"}}
			apps := applications{schedule: s, client: c}
			seen.Name, seen.UID, seen.Version = app.Name, app.UID, version
			if deleted, err := apps.delete(t.Context(), seen); err != nil || deleted == stays {
				t.Errorf("%s, seen at %s: deleted %t, %v", name, version, deleted, err)
			}
			err := c.Get(t.Context(), client.ObjectKeyFromObject(app), &v1alpha1.SparkApplication{})
			if (err == nil) != stays {
				t.Errorf("%s, seen at %s: it stays: %t, want %t", name, version, err == nil, stays)
			}
		}
	}
}

// denials are answers of policies, which choose the code.
var denials = map[string]metav1.Status{
	"a policy that says unauthorized": {Code: 401, Reason: metav1.StatusReasonUnauthorized, Message: "ValidatingAdmissionPolicy 'costs' with binding 'costs' denied request: no cost centre"},
	"a policy that says too large":    {Code: 413, Reason: metav1.StatusReasonRequestEntityTooLarge, Message: "ValidatingAdmissionPolicy 'costs' with binding 'costs' denied request: no cost centre"},
	"a webhook that says conflict":    {Code: 409, Reason: metav1.StatusReasonConflict, Message: `admission webhook "costs.example.org" denied the request: no cost centre`},
	"a webhook that has failed":       {Code: 500, Message: `admission webhook "costs.example.org" denied the request: no cost centre`},
}

// TestDeniedWithAnyCode: whatever code a policy answers with, the condition shows what it says, and the run that it
// refuses gives way to the next one.
func TestDeniedWithAnyCode(t *testing.T) {
	t.Parallel()
	for name, answer := range denials {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(s *v1alpha1.ScheduledSparkApplication) { s.Generation = 1 })
			w.answer, w.refused = &apierrors.StatusError{ErrStatus: answer}, func(string) bool { return true }
			s := w.until("12:15")
			ready := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.ReadyCondition)
			if ready == nil || ready.Reason != "CreateFailed" || !strings.Contains(ready.Message, "no cost centre") {
				t.Errorf("Ready is %+v", ready)
			}
			w.refused = func(name string) bool { return name == at(10) }
			if s = w.until("12:21"); len(s.Status.Missed) != 1 || s.Status.Missed[0].Reason != v1alpha1.MissedCreateFailed {
				t.Errorf("missed %+v", s.Status.Missed)
			}
			w.has("after the next time", at(20))
		})
	}
}

// TestNoDryRuns: where a webhook keeps the API server from dry runs, the operator's own rules are all that a template
// is checked by.
func TestNoDryRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *v1alpha1.ScheduledSparkApplication) { s.Generation = 1 })
	w.answer, w.refused = apierrors.NewBadRequest(`admission webhook "old.example.org" does not support dry run`), func(name string) bool { return name == at(0) }
	s := w.until("12:05")
	if ready := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.ReadyCondition); ready == nil || ready.Reason != v1alpha1.ScheduledReason {
		t.Errorf("Ready is %+v", ready)
	}
}
