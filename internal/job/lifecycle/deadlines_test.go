// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"math"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/finding"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

func TestHoldsFor(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		timeouts *v1alpha1.Timeouts
		want     time.Duration
	}{
		"no timeouts":       {nil, 0},
		"not the run":       {&v1alpha1.Timeouts{DriverStart: seconds(5), Total: seconds(60)}, 0},
		"the run":           {&v1alpha1.Timeouts{Run: seconds(60)}, DefaultDriverStart + time.Minute + DefaultTermination},
		"each of its parts": {&v1alpha1.Timeouts{DriverStart: seconds(1), Run: seconds(20), Termination: seconds(300)}, 321 * time.Second},
		"an end is bounded": {&v1alpha1.Timeouts{Run: seconds(1), Termination: &v1alpha1.Duration{Duration: forEver}}, DefaultDriverStart + time.Second + 10*time.Minute},
		// Added up as they are, the two would come to a bound in the past.
		"longer than time":   {&v1alpha1.Timeouts{DriverStart: &v1alpha1.Duration{Duration: 2 * forEver}, Run: &v1alpha1.Duration{Duration: 2 * forEver}}, math.MaxInt64},
		"no time is a bound": {&v1alpha1.Timeouts{DriverStart: seconds(0), Run: seconds(0), Termination: seconds(0)}, 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := &v1alpha1.SparkApplication{Spec: v1alpha1.SparkApplicationSpec{Timeouts: tc.timeouts}}
			if got := HoldsFor(app, 10*time.Minute); got != tc.want {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
}

// TestObstacleStays: what keeps the driver from being created is tried again, soon at first, and less often the longer it stays.
func TestObstacleStays(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ stays, again time.Duration }{
		{0, 10 * time.Second},
		{50 * time.Second, 10 * time.Second},
		{5 * time.Minute, time.Minute},
		{9 * time.Minute, time.Minute}, // until timeouts.driverStart
	} {
		w := newWorld(t)
		w.app.Status.Run, w.app.Status.Attempt = 1, 1
		w.app.Status.Times.Admitted = &metav1.Time{Time: w.now.Add(-tt.stays)}
		w.app.Status.Grant, w.app.Status.Driver = &v1alpha1.Grant{Run: 1, Attempt: 1}, &v1alpha1.DriverStatus{PodName: "pi-driver"}
		w.app.Status.Conditions = status.Conditions(nil, status.View{Stage: status.Submitting, Message: "m"}, metav1.NewTime(w.now.Add(-tt.stays)))
		d := Decide(Observation{Now: w.now, App: w.app, SameTemplate: true, Obstacle: "a webhook does not answer"})
		if d.Need != NeedNothing || d.RequeueAt.Sub(w.now) != tt.again {
			t.Errorf("after %s: need %s, again at %s, want in %s", tt.stays, d.Need, d.RequeueAt, tt.again)
		}
	}
}

// TestNodeStaysLost: whether the node of a pod that has to end answers again is asked soon at first, and less often the longer it does not.
func TestNodeStaysLost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ lost, again time.Duration }{
		{0, 10 * time.Second},
		{50 * time.Second, 10 * time.Second},
		{5 * time.Minute, time.Minute},
		{24 * time.Hour, 2 * time.Minute},
	} {
		w := newWorld(t)
		since := metav1.NewTime(w.now.Add(-DefaultTermination - tt.lost))
		w.app.Status.Run, w.app.Status.Attempt = 1, 1
		w.app.Status.Times.Admitted, w.app.Status.Times.DriverStarted, w.app.Status.Times.Stopping = &since, &since, &since
		w.app.Status.Stopping = v1alpha1.StopDeadline
		w.app.Status.Grant, w.app.Status.Driver = &v1alpha1.Grant{Run: 1, Attempt: 1}, &v1alpha1.DriverStatus{PodName: "pi-driver", UID: "driver"}
		w.app.Status.Conditions = status.Conditions(nil, status.View{Stage: status.Finalizing, Message: "m"}, since)
		driver := &pods.Record{Trouble: &pods.Trouble{}, Name: "pi-driver", UID: "driver", Origin: &pods.Origin{Run: 1, Attempt: 1, OwnerUID: w.app.UID}, Role: pods.Driver, Node: "lost",
			Phase: corev1.PodRunning, Running: true, Deleting: true}
		d := Decide(Observation{Now: w.now, App: w.app, SameTemplate: true, MaxTermination: 10 * time.Minute, Pods: []*pods.Record{driver},
			UnreachableNodes: map[string]bool{"lost": true}})
		if d.Need != NeedNothing || d.RequeueAt.Sub(w.now) != tt.again {
			t.Errorf("lost for %s: need %s, again at %s, want in %s", tt.lost, d.Need, d.RequeueAt, tt.again)
		}
	}
}

// TestLatePodsKeepNothing: a pod with the labels of an attempt that was created after all of its pods should have gone does not keep the
// quota: it is asked to end. As long as the driver may create executors, they are waited for.
func TestLatePodsKeepNothing(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		created time.Duration
		driver  bool
		deleted bool
		keeps   bool
	}{
		"created before":                  {created: -time.Second, keeps: true},
		"created after":                   {created: time.Second},
		"created before, and is deleted":  {created: -time.Second, deleted: true, keeps: true},
		"created after, and is deleted":   {created: time.Second, deleted: true},
		"created after, the driver stays": {created: time.Second, driver: true, keeps: true},
	} {
		w := newWorld(t)
		since := metav1.NewTime(w.now.Add(-DefaultTermination - time.Minute))
		due := since.Add(DefaultTermination)
		w.app.Status.Run, w.app.Status.Attempt, w.app.Status.Stopping = 1, 1, v1alpha1.StopPreempted
		w.app.Status.Times.Admitted, w.app.Status.Times.DriverStarted, w.app.Status.Times.Stopping = &since, &since, &since
		w.app.Status.Grant, w.app.Status.Driver = &v1alpha1.Grant{Run: 1, Attempt: 1}, &v1alpha1.DriverStatus{PodName: "pi-driver", UID: "driver"}
		w.app.Status.Attempts = []v1alpha1.AttemptStatus{{Run: 1, Attempt: 1, Outcome: v1alpha1.OutcomeStopped, Reason: "Preempted"}}
		w.app.Status.Conditions = status.Conditions(nil, status.View{Stage: status.Finalizing, Message: "m"}, since)
		if tt.deleted {
			w.app.DeletionTimestamp = &since
		}
		pod := func(name types.UID, role pods.Role, owner types.UID) *pods.Record {
			return &pods.Record{Trouble: &pods.Trouble{}, Name: "pi-" + string(name), UID: name, Origin: &pods.Origin{Run: 1, Attempt: 1, OwnerUID: owner}, Role: role,
				Node: "node-1", Phase: corev1.PodRunning, Running: true}
		}
		late := pod("late", pods.Executor, "driver")
		late.CreatedAt = uint32(due.Add(tt.created).Unix())
		all := []*pods.Record{late}
		if tt.driver {
			all = append(all, pod("driver", pods.Driver, w.app.UID))
		}
		d := Decide(Observation{Now: w.now, App: w.app, SameTemplate: true, MaxTermination: 10 * time.Minute, Pods: all, UnreachableNodes: map[string]bool{},
			DriverAbsent: true, Plan: &Plan{}})
		released := slices.ContainsFunc(d.After, func(a Action) bool { return a.Kind == ReleaseGrant })
		asked := slices.ContainsFunc(d.After, func(a Action) bool { return a.Kind == DeletePod && a.Pod == late })
		if d.Need != NeedNothing || released == tt.keeps || !asked && !tt.driver {
			t.Errorf("%s: need %s, released %t, asked to end %t", name, d.Need, released, asked)
		}
	}
}

// TestMistakeElsewhere: a mistake in what an application refers to is looked for again, soon at first, and less often the longer it stands. One
// in the application itself is not.
func TestMistakeElsewhere(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		stands, again time.Duration
		outside       bool
	}{
		{0, 10 * time.Second, true},
		{time.Minute, 10 * time.Second, true},
		{10 * time.Minute, time.Minute, true},
		{24 * time.Hour, 2 * time.Minute, true},
		{time.Minute, 0, false},
	} {
		w := newWorld(t)
		w.app.Status.Conditions = status.Conditions(nil, status.View{Stage: status.InvalidSpec, Message: "m"}, metav1.NewTime(w.now.Add(-tt.stands)))
		d := Decide(Observation{Now: w.now, App: w.app, Plan: &Plan{
			Findings: []finding.Finding{{Reason: v1alpha1.InvalidSpecReason, Message: "m"}}, Outside: tt.outside,
		}})
		if d.Need != NeedNothing || d.RequeueAt.IsZero() != (tt.again == 0) || tt.again > 0 && d.RequeueAt.Sub(w.now) != tt.again {
			t.Errorf("after %s (outside: %t): need %s, again at %s, want in %s", tt.stands, tt.outside, d.Need, d.RequeueAt, tt.again)
		}
	}
}
