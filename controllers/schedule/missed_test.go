// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/job/tick"
)

// TestEndedInOneSecond: of two runs that ended in the same second, the one that was observed later counts as the last
// one, also when the schedule is reconciled again.
func TestEndedInOneSecond(t *testing.T) {
	t.Parallel()
	at := "2026-01-02T12:00:00Z"
	ok, failed := &v1alpha1.ScheduledRun{Name: "nightly-1", Time: at}, &v1alpha1.ScheduledRun{Name: "nightly-2", Time: at}
	for name, tt := range map[string]struct {
		before   v1alpha1.ScheduledSparkApplicationStatus
		succeeds bool
	}{
		"the success is news": {v1alpha1.ScheduledSparkApplicationStatus{LastFailedRun: failed}, true},
		"the failure is news": {v1alpha1.ScheduledSparkApplicationStatus{LastSuccessfulRun: ok}, false},
		"both are news":       {v1alpha1.ScheduledSparkApplicationStatus{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &v1alpha1.ScheduledSparkApplication{Status: tt.before}
			for range 2 {
				after := s.DeepCopy()
				after.Status.LastSuccessfulRun, after.Status.LastFailedRun = ok, failed
				v := view(&after.Status, outcome{observed: observed{o: tick.Observation{Schedule: s}}}, &record{})
				if v.LastRun == nil || v.LastRun.Succeeded != tt.succeeds {
					t.Fatalf("the last run is %+v", v.LastRun)
				}
				after.Status.Conditions = status.ScheduleConditions(after.Status.Conditions, v, metav1.Now())
				s = after
			}
		})
	}
}

// TestSupersededIsRecorded: an application that was deleted for the next run is counted once, also if the write of that
// pass met a conflict and a later one records it.
func TestSupersededIsRecorded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(*v1alpha1.ScheduledSparkApplication) {})
	s := w.until("12:01")
	w.reconciler.memory.of(s).superseded.apps = []tick.Child{{Name: "nightly-1", Due: noon}}
	for _, look := range []string{"12:02", "12:03"} {
		if s = w.until(look); len(s.Status.Missed) != 1 || s.Status.Missed[0] != (v1alpha1.MissedRuns{Reason: v1alpha1.MissedSuperseded, Count: 1, Last: "2026-01-01T12:00:00Z"}) {
			t.Errorf("missed %+v", s.Status.Missed)
		}
	}
}

// TestSupersededWithoutAnAnswer: an application that was deleted for the next run is counted once, although the answer
// to the write that recorded it was lost.
func TestSupersededWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(*v1alpha1.ScheduledSparkApplication) {})
	s := w.until("12:01")
	e := w.reconciler.memory.of(s)
	e.superseded.apps = []tick.Child{{Name: "nightly-1", Due: noon}}
	lost := true
	w.reconciler.Client = interceptor.NewClient(w.Client.(client.WithWatch), interceptor.Funcs{
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			if err := c.SubResource(sub).Patch(ctx, o, patch, opts...); err != nil || !lost {
				return err
			}
			lost = false
			return errors.New("connection reset by peer")
		},
	})
	request := ctrl.Request{NamespacedName: types.NamespacedName{Namespace: "team-a", Name: "nightly"}}
	if _, err := w.reconciler.Reconcile(t.Context(), request); err == nil {
		t.Fatal("the answer was not lost")
	}
	e.superseded.apps = append(e.superseded.apps, tick.Child{Name: "nightly-2", Due: noon.Add(time.Minute)})
	for _, look := range []string{"12:02", "12:03"} {
		if s = w.until(look); len(s.Status.Missed) != 1 || s.Status.Missed[0] != (v1alpha1.MissedRuns{Reason: v1alpha1.MissedSuperseded, Count: 2, Last: "2026-01-01T12:01:00Z"}) {
			t.Errorf("missed %+v", s.Status.Missed)
		}
	}
	if diff := cmp.Diff([]string{"Superseded", "Superseded"}, w.reasons()); diff != "" || len(e.superseded.apps) != 0 {
		t.Errorf("left %v, events (-want +got):\n%s", e.superseded.apps, diff)
	}
}

// TestManySuperseded: there is one event, however many applications were deleted for the next run.
func TestManySuperseded(t *testing.T) {
	t.Parallel()
	for n, what := range map[int]string{
		1: "application nightly-0",
		2: "application nightly-0 and another one",
		5: "application nightly-0 and 4 others",
	} {
		recorder := events.NewFakeRecorder(10)
		var apps []tick.Child
		for i := range n {
			apps = append(apps, tick.Child{Name: fmt.Sprint("nightly-", i), Message: "Secret \"keys\" does not exist"})
		}
		announcer{recorder: recorder}.announceSuperseded(apps)
		close(recorder.Events)
		var got []string
		for event := range recorder.Events {
			got = append(got, event)
		}
		want := []string{"Warning Superseded deleted " + what + ", which could not start, for the next run: Secret \"keys\" does not exist"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	}
}

// TestReplacedInVain: while an application that is to be replaced does not go away, missed runs are counted when the
// next one is due, not only once it is gone. That may take days, and an alert depends on the count.
func TestReplacedInVain(t *testing.T) {
	t.Parallel()
	deleted := metav1.NewTime(noon)
	owner := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Name: "nightly", UID: "a1"}}
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{
		Namespace: "team-a", Name: "nightly-1", DeletionTimestamp: &deleted, Finalizers: []string{v1alpha1.Finalizer}, OwnerReferences: []metav1.OwnerReference{
			*metav1.NewControllerRef(owner, v1alpha1.GroupVersion.WithKind(v1alpha1.ScheduledSparkApplicationKind)),
		}}}
	s := newWorld(t, func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.ConcurrencyPolicy = v1alpha1.ConcurrencyReplace }, app).until("12:35")
	if m := s.Status.Missed; len(m) != 1 || m[0].Reason != v1alpha1.MissedReplaced || m[0].Count != 2 || s.Status.NextRunTime != "2026-01-01T12:40:00Z" {
		t.Errorf("missed %+v, next run at %s; want two that were replaced, and 12:40", m, s.Status.NextRunTime)
	}
}

// TestMissedRunsAreExplained: an event about missed runs has their times, the reason as one word, and how to prevent
// it.
func TestMissedRunsAreExplained(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	tests := map[string]struct {
		reasons []string
		want    []string
	}{
		"operator down":    {[]string{v1alpha1.MissedOperatorDown}, []string{"MissedRun ", "due at 2026-01-02T12:00:00Z", "spec.catchUp"}},
		"another one runs": {[]string{v1alpha1.MissedConcurrencyForbidden}, []string{"(ConcurrencyForbidden)", "spec.startingDeadline"}},
		"too late":         {[]string{v1alpha1.MissedStartingDeadlineExceeded}, []string{"(StartingDeadlineExceeded)", "spec.startingDeadline"}},
		"name taken":       {[]string{v1alpha1.MissedNameTaken}, []string{"(NameTaken)", "delete it"}},
		"replaced":         {[]string{v1alpha1.MissedReplaced}, []string{"(Replaced)", "spec.concurrencyPolicy"}},
		"refused":          {[]string{v1alpha1.MissedCreateFailed}, []string{"(CreateFailed)", "condition Ready"}},
		"a mistake":        {[]string{v1alpha1.MissedInvalidSpec}, []string{"(InvalidSpec)", "had a mistake", "sparkctl schedule run --for"}},
		"an edit":          {[]string{v1alpha1.MissedScheduleChanged}, []string{"(ScheduleChanged)", "was changed", "sparkctl schedule run --for"}},
		"too many":         {[]string{v1alpha1.MissedNotFollowed}, []string{"(NotFollowed)", "more than ten", "sparkctl schedule run --for"}},
		"several": {[]string{v1alpha1.MissedOperatorDown, v1alpha1.MissedNameTaken, v1alpha1.MissedOperatorDown}, []string{
			"MissedRuns 3 runs that were due from 2026-01-02T12:00:00Z to 2026-01-02T14:00:00Z",
			"1 with the reason NameTaken (an application", "2 with the reason OperatorDown (no operator",
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recorder := events.NewFakeRecorder(1)
			var passed []tick.Passed
			for i, reason := range tt.reasons {
				passed = append(passed, tick.Passed{At: noon.Add(time.Duration(i) * time.Hour), Reason: reason})
			}
			announcer{recorder: recorder}.announceMissed(passed)
			got := <-recorder.Events
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("the event is %q, want it to contain %q", got, want)
				}
			}
		})
	}
}
