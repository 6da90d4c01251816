// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/tick"
)

// TestUnseenChildren: a created application blocks the next one although the cache does not show it yet, but only while
// it exists. Otherwise one that was deleted before the cache showed it would block the schedule for ever.
func TestUnseenChildren(t *testing.T) {
	t.Parallel()
	s := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "nightly", UID: "a1"}}
	owned := func(name string, owner *v1alpha1.ScheduledSparkApplication) *v1alpha1.SparkApplication {
		return &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: name, OwnerReferences: []metav1.OwnerReference{
			*metav1.NewControllerRef(owner, v1alpha1.GroupVersion.WithKind(v1alpha1.ScheduledSparkApplicationKind)),
		}}}
	}
	other := s.DeepCopy()
	other.UID = "b2"
	app := owned("nightly-1", s)
	ended := owned("nightly-1", other)
	ended.Status.Conditions = []metav1.Condition{
		{Type: v1alpha1.FinishedCondition, Status: metav1.ConditionTrue}, {Type: v1alpha1.ReadyCondition, Reason: v1alpha1.SucceededReason},
	}
	for _, tc := range []struct {
		name         string
		cached, live []client.Object
		// children is the number of applications, and unseen the number of those that the cache does not show yet.
		children, unseen int
	}{
		{"the cache is late", nil, []client.Object{app}, 1, 1},
		{"the cache shows it", []client.Object{app}, []client.Object{app}, 1, 0},
		{"it was deleted before the cache showed it", nil, nil, 0, 0},
		{"it is one of an earlier schedule of that name", []client.Object{owned("nightly-1", other)}, []client.Object{owned("nightly-1", other)}, 1, 0},
		{"… and has finished", []client.Object{ended}, []client.Object{ended}, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			created := map[string]bool{"nightly-1": true}
			children, err := applications{schedule: s, client: clientWith(t, tc.cached...), live: clientWith(t, tc.live...)}.list(t.Context(), created)
			if err != nil {
				t.Fatal(err)
			}
			if len(children) != tc.children || len(created) != tc.unseen {
				t.Errorf("got %d children, %d of them unseen; want %d and %d", len(children), len(created), tc.children, tc.unseen)
			}
		})
	}
}

// TestEndsOfDeleted: the result of a run is recorded although its application is already being deleted, by
// ttlAfterFinished for example, but not the result of an earlier schedule of the same name.
func TestEndsOfDeleted(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		owner types.UID
		want  string
	}{
		"its own":                {"a1", "nightly-1"},
		"of an earlier schedule": {"b2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			deleted := metav1.NewTime(noon)
			owner := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Name: "nightly", UID: tc.owner}}
			app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{
				Namespace: "team-a", Name: "nightly-1", DeletionTimestamp: &deleted, Finalizers: []string{v1alpha1.Finalizer}, OwnerReferences: []metav1.OwnerReference{
					*metav1.NewControllerRef(owner, v1alpha1.GroupVersion.WithKind(v1alpha1.ScheduledSparkApplicationKind)),
				}}}
			app.Status.Conditions = []metav1.Condition{
				{Type: v1alpha1.FinishedCondition, Status: metav1.ConditionTrue, LastTransitionTime: deleted}, {Type: v1alpha1.ReadyCondition, Reason: v1alpha1.SucceededReason},
			}
			s := newWorld(t, func(*v1alpha1.ScheduledSparkApplication) {}, app).until("12:05")
			got := ""
			if s.Status.LastSuccessfulRun != nil {
				got = s.Status.LastSuccessfulRun.Name
			}
			if got != tc.want || s.Status.ActiveCount != 1 {
				t.Errorf("the last run that succeeded is %q, want %q; %d are active, want the one that has not gone", got, tc.want, s.Status.ActiveCount)
			}
		})
	}
}

// TestLateRuns: a process that was suspended does not create a run that another one has handled. A run that is on time
// needs no read.
func TestLateRuns(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	stored := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "nightly", UID: "a1", ResourceVersion: "7"}}
	again := stored.DeepCopy()
	again.UID = "b2"
	for _, tc := range []struct {
		name   string
		run    tick.Run
		cached string // the resource version that the cache shows
		live   []client.Object
		want   bool
	}{
		{"on time", tick.Run{At: now.Add(-time.Second)}, "5", nil, true},
		{"late", tick.Run{At: now.Add(-time.Minute)}, "7", []client.Object{stored}, true},
		{"late, and the status was written since", tick.Run{At: now.Add(-time.Minute)}, "5", []client.Object{stored}, false},
		{"late, and the schedule is another one", tick.Run{At: now.Add(-time.Minute)}, "7", []client.Object{again}, false},
		{"late, and the schedule is gone", tick.Run{At: now.Add(-time.Minute)}, "7", nil, false},
		{"asked for", tick.Run{Token: "now"}, "5", []client.Object{stored}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := stored.DeepCopy()
			s.ResourceVersion = tc.cached
			a := &actor{apps: applications{schedule: s, live: clientWith(t, tc.live...)}, clock: clocktesting.NewFakePassiveClock(now)}
			if err := a.confirmSchedule(t.Context(), tc.run); (err == nil) != tc.want {
				t.Errorf("may be created: %t, want %t (%v)", err == nil, tc.want, err)
			}
		})
	}
}

// TestWakes: a tick in the distant future is not slept through if the clock is set forward, and a template that a
// policy refuses is checked again.
func TestWakes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name string
		out  outcome
		want time.Duration
	}{
		{"soon", outcome{decision: tick.Decision{Look: now.Add(time.Minute)}}, time.Minute},
		{"tomorrow", outcome{decision: tick.Decision{Look: now.AddDate(0, 0, 1)}}, maxSleep},
		{"overdue", outcome{decision: tick.Decision{Look: now.Add(-time.Minute)}}, time.Millisecond},
		{"refused", outcome{refused: "no quota", decision: tick.Decision{Again: true}}, retryRejected},
		{"refused, and something is due before it is tried again", outcome{refused: "no quota", decision: tick.Decision{Again: true, Look: now.Add(time.Second)}}, time.Second},
		{"refused, and nothing is due for a while", outcome{refused: "no quota", decision: tick.Decision{Look: now.Add(time.Hour)}}, retryRejected},
		{"a mistake in the template", outcome{observed: observed{mistake: "spec.template", inTemplate: true}}, retryTemplate},
		{"another mistake", outcome{observed: observed{mistake: "spec.timeZone"}}, 0},
	} {
		if got := tc.out.result(now).RequeueAfter; got != tc.want {
			t.Errorf("%s: looks again after %s, want %s", tc.name, got, tc.want)
		}
	}
}

// TestOrphans: an application that an earlier schedule of the same name has left behind counts as the run for which it
// was created, and as no other.
func TestOrphans(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	s := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "nightly", UID: "a1"}}
	s.Spec.Template.Spec.Raw = []byte("{}")
	for _, tc := range []struct {
		name     string
		run, has tick.Run
		want     bool
	}{
		{"of this run", tick.Run{At: at}, tick.Run{At: at}, true},
		{"of another one", tick.Run{At: at}, tick.Run{At: at.Add(time.Hour)}, false},
		{"asked for", tick.Run{Token: "now"}, tick.Run{Token: "now"}, true},
		{"asked for, and it is that of a time", tick.Run{Token: "now"}, tick.Run{At: at}, false},
		{"of a time, and it was asked for", tick.Run{At: at}, tick.Run{Token: "now"}, false},
	} {
		built, err := applicationOf(s, tc.has)
		if err != nil {
			t.Fatal(err)
		}
		app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Labels: built.GetLabels(), Annotations: built.GetAnnotations()}}
		if got := isOrphanOf(s, app, tc.run); got != tc.want {
			t.Errorf("%s: %t, want %t", tc.name, got, tc.want)
		}
	}
}

func clientWith(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(v1alpha1.AddToScheme(scheme), corev1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	var copies []client.Object
	for _, o := range objects {
		copies = append(copies, o.DeepCopyObject().(client.Object))
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithIndex(&v1alpha1.SparkApplication{}, ownerIndex, ownerOf).
		WithStatusSubresource(&v1alpha1.ScheduledSparkApplication{}).WithObjects(copies...).Build()
}
