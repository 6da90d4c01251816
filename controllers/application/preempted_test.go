// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/queueing"
)

// plainGate never reclaims a grant.
type plainGate struct{}

func (plainGate) Sync(context.Context, queueing.Ask) (queueing.Verdict, error) {
	return queueing.Verdict{}, nil
}
func (plainGate) Capabilities() queueing.Capabilities                           { return queueing.Capabilities{} }
func (plainGate) Persisted(context.Context, queueing.Key, queueing.Grant)       {}
func (plainGate) Release(context.Context, queueing.Key, queueing.Release) error { return nil }

// evictingGate reclaims one grant.
type evictingGate struct {
	plainGate
	key          queueing.Key
	run, attempt int64
	eviction     *queueing.Eviction
}

func (g evictingGate) Eviction(key queueing.Key, run, attempt int64) *queueing.Eviction {
	if key == g.key && run == g.run && attempt == g.attempt {
		return g.eviction
	}
	return nil
}

func TestEvictionIsThatOfTheGateOfTheGrant(t *testing.T) {
	t.Parallel()
	wanted := &queueing.Eviction{Reason: queueing.ReasonPreempted, Message: "queue team-b takes its quota back"}
	gates := reservation.Gates{
		"None":     plainGate{},
		"Embedded": evictingGate{key: queueing.Key{Namespace: "default", Name: "pi", UID: "pi-uid"}, run: 2, attempt: 1, eviction: wanted},
	}
	tests := map[string]struct {
		grant *v1alpha1.Grant
		want  *queueing.Eviction
	}{
		"no grant":               {nil, nil},
		"of the evicting gate":   {&v1alpha1.Grant{Gate: "Embedded", Run: 2, Attempt: 1}, wanted},
		"of another attempt":     {&v1alpha1.Grant{Gate: "Embedded", Run: 2, Attempt: 2}, nil},
		"of another gate":        {&v1alpha1.Grant{Gate: "None", Run: 2, Attempt: 1}, nil},
		"of a gate that is gone": {&v1alpha1.Grant{Gate: "Kueue", Run: 2, Attempt: 1}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pi", UID: "pi-uid"}}
			app.Status.Run, app.Status.Attempt, app.Status.Grant = 2, 1, tc.grant
			r := &Reconciler{Options: Options{Gates: gates}}
			if diff := cmp.Diff(tc.want, r.eviction(app)); diff != "" {
				t.Errorf("eviction (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPreemptionIsCountedOnceItIsIntended(t *testing.T) {
	t.Parallel()
	stopping := func(reason v1alpha1.StopReason) *v1alpha1.SparkApplication {
		return &v1alpha1.SparkApplication{Status: v1alpha1.SparkApplicationStatus{Queue: "counted-once", Stopping: reason}}
	}
	held := &queueing.Eviction{Reason: queueing.ReasonPreempted, ByQueue: "taker"}
	counter := preemptions.WithLabelValues("counted-once", "taker", "Preempted")
	before := testutil.ToFloat64(counter)
	change{stopping(""), stopping(""), asIs}.countPreemption(held)
	change{stopping(""), stopping(v1alpha1.StopSuspended), asIs}.countPreemption(held)
	change{stopping(""), stopping(v1alpha1.StopPreempted), asIs}.countPreemption(held)
	change{stopping(v1alpha1.StopPreempted), stopping(v1alpha1.StopPreempted), asIs}.countPreemption(held)
	change{stopping(v1alpha1.StopPreempted), stopping(""), asIs}.countPreemption(nil)
	if got := testutil.ToFloat64(counter) - before; got != 1 {
		t.Errorf("counted %v times, want 1", got)
	}
}

func TestAdmissionWaitIsOfOneWait(t *testing.T) {
	t.Parallel()
	at := func(seconds int) *metav1.Time {
		when := metav1.NewTime(time.Unix(int64(1000+seconds), 0))
		return &when
	}
	preempted := v1alpha1.AttemptStatus{Run: 2, Attempt: 1, Outcome: v1alpha1.OutcomeStopped, Reason: "Preempted", FinishedAt: at(100)}
	suspended, earlier := preempted, preempted
	suspended.Reason, earlier.Run = "Suspended", 1
	waiting := func(t v1alpha1.ApplicationTimes, since *metav1.Time) v1alpha1.ApplicationTimes {
		t.Waiting = since
		return t
	}
	pausing := func(t v1alpha1.ApplicationTimes, until *metav1.Time) v1alpha1.ApplicationTimes {
		t.Retry = until
		return t
	}
	times := func(queued, admitted *metav1.Time) v1alpha1.ApplicationTimes {
		return v1alpha1.ApplicationTimes{OpenTimes: v1alpha1.OpenTimes{Queued: queued, Admitted: admitted}}
	}
	sentBack := preempted
	sentBack.Reason = "ExecutorStartTimeout"
	tests := map[string]struct {
		times  v1alpha1.ApplicationTimes
		ended  []v1alpha1.AttemptStatus
		want   time.Duration
		unsaid bool
	}{
		"first attempt":          {times(at(0), at(7)), nil, 7 * time.Second, false},
		"after a preemption":     {times(at(0), at(130)), []v1alpha1.AttemptStatus{preempted}, 30 * time.Second, false},
		"sent back":              {waiting(times(at(0), at(400)), at(390)), []v1alpha1.AttemptStatus{sentBack}, 10 * time.Second, false},
		"sent back, at once":     {pausing(times(at(0), at(400)), at(399)), []v1alpha1.AttemptStatus{sentBack}, time.Second, false},
		"after a suspension":     {times(at(0), at(130)), []v1alpha1.AttemptStatus{suspended}, 130 * time.Second, false},
		"preempted in a run ago": {times(at(110), at(130)), []v1alpha1.AttemptStatus{earlier}, 20 * time.Second, false},
		"not admitted":           {times(at(0), nil), nil, 0, true},
		"never queued":           {times(nil, at(7)), nil, 0, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := &v1alpha1.SparkApplicationStatus{Run: 2, Attempt: 2, Times: tc.times, Attempts: tc.ended}
			got, said := admissionWaitOf(before, before)
			if got != tc.want || said == tc.unsaid {
				t.Errorf("wait %s, %t, want %s, %t", got, said, tc.want, !tc.unsaid)
			}
		})
	}
}
