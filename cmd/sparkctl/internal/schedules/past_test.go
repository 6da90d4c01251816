// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedules

import (
	"io"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/fake"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/runs"
	"github.com/sparkgate/sparkgate/internal/job/tick"
)

// nightly returns a schedule with the status that the operator has written.
func nightly() *v1alpha1.ScheduledSparkApplication {
	s := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "spark", Name: "nightly", Generation: 3}}
	s.Spec = v1alpha1.ScheduledSparkApplicationSpec{Schedule: "30 2 * * *", TimeZone: "Europe/Zurich"}
	s.Status = v1alpha1.ScheduledSparkApplicationStatus{ObservedGeneration: 3, LastRunTime: "2026-03-28T02:30:00+01:00"}
	s.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ReadyCondition, Status: metav1.ConditionTrue, Reason: v1alpha1.ScheduledReason, Message: "runs"}}
	return s
}

// TestPastRunIsCreated: what the status of a schedule says about a requested time.
func TestPastRunIsCreated(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 27, 1, 30, 0, 0, time.UTC)
	const ours, text = "2026-03-27T02:30 #1", "2026-03-27T02:30:00+01:00"
	accepted := func(change func(*v1alpha1.RunForStatus)) func(*v1alpha1.ScheduledSparkApplication) {
		return func(s *v1alpha1.ScheduledSparkApplication) {
			s.Status.RunFor = &v1alpha1.RunForStatus{Request: ours}
			change(s.Status.RunFor)
		}
	}
	for name, tt := range map[string]struct {
		change func(*v1alpha1.ScheduledSparkApplication)
		done   bool
		code   int
		want   string
	}{
		"not seen":  {change: func(*v1alpha1.ScheduledSparkApplication) {}, want: "waiting for the operator to look at it"},
		"pending":   {change: accepted(func(r *v1alpha1.RunForStatus) { r.Pending = []string{text} }), want: "waiting for nightly-29576250 to be created"},
		"created":   {change: accepted(func(r *v1alpha1.RunForStatus) { r.Created = 1 }), done: true},
		"skipped":   {change: accepted(func(r *v1alpha1.RunForStatus) { r.Skipped, r.Message = []string{text}, "it exists" }), done: true, code: cli.ExitRunFailed, want: "is not run: it exists"},
		"refused":   {change: accepted(func(r *v1alpha1.RunForStatus) { r.Result, r.Message = v1alpha1.RunForRefused, "wrong" }), done: true, code: cli.ExitRunFailed, want: "is not run: wrong"},
		"withdrawn": {change: func(s *v1alpha1.ScheduledSparkApplication) { s.Annotations = nil }, done: true, code: cli.ExitFailed, want: "request the run again"},
		"a mistake": {change: func(s *v1alpha1.ScheduledSparkApplication) {
			s.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ReadyCondition, Status: metav1.ConditionFalse, Reason: v1alpha1.InvalidSpecReason, Message: "wrong"}}
		}, done: true, code: cli.ExitRunFailed, want: "nightly cannot run: InvalidSpec: wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := nightly()
			s.Annotations = map[string]string{v1alpha1.RunForAnnotation: ours}
			tt.change(s)
			var notes strings.Builder
			said := runs.NewProgressPrinter(&notes)
			done, err := (&pastRuns{schedule: "nightly", request: ours}).isCreated(s, at, said)
			said.Stop()
			code := cli.ExitCode(err)
			if err != nil {
				notes.WriteString(err.Error())
			}
			if done != tt.done || code != tt.code || !strings.Contains(notes.String(), tt.want) {
				t.Errorf("done %t, exit code %d, %q; want %t, %d, %q", done, code, notes.String(), tt.done, tt.code, tt.want)
			}
		})
	}
}

// TestPastRunWasCreated: a later request does not hide that the application for this one was created.
func TestPastRunWasCreated(t *testing.T) {
	t.Parallel()
	const ours = "2026-03-27T02:30 #1"
	for mark, want := range map[string]string{tick.RequestHash(ours): "", tick.RequestHash("2026-03-28T02:30"): "was changed before its application was created"} {
		now := nightly()
		now.Annotations = map[string]string{v1alpha1.RunForAnnotation: "2026-03-28T02:30"}
		found := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{v1alpha1.RunForRequestAnnotation: mark}}}
		c := fake.Cluster(t, map[string][]any{
			fake.Namespaced + "scheduledsparkapplications/nightly": {now}, fake.Namespaced + "sparkapplications/nightly-29576250": {found},
		})
		r := pastRuns{cluster: c, schedule: "nightly", request: ours}
		name, err := r.untilCreated(time.Date(2026, 3, 27, 1, 30, 0, 0, time.UTC))(t.Context(), io.Discard)
		if name != "nightly-29576250" || (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
