// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
)

// TestScheduleRunPastTimes: which times are requested, and what is refused before anything is.
func TestScheduleRunPastTimes(t *testing.T) {
	t.Parallel()
	const (
		requested = "scheduledsparkapplication.sparkgate.io/nightly: run nightly-29576250 for 2026-03-27T02:30:00+01:00 is requested\n"
		second    = "scheduledsparkapplication.sparkgate.io/nightly: run nightly-29577690 for 2026-03-28T02:30:00+01:00 is requested\n"
		exists    = "application nightly-29576250 for 2026-03-27T02:30:00+01:00 exists: run it again with sparkctl rerun nightly-29576250 -n spark, or delete it before the request"
	)
	asked := func(result *v1alpha1.RunForStatus) []reply {
		return inCluster(func(s *v1alpha1.ScheduledSparkApplication) {
			s.Annotations = map[string]string{v1alpha1.RunForAnnotation: "2026-03-01T02:30"}
			s.Status.RunFor = result
		})
	}
	active := inCluster(func(s *v1alpha1.ScheduledSparkApplication) { s.Status.Active = []string{"nightly-1"} })
	conflict := refusal(409, metav1.StatusReasonConflict, "the object has been modified")
	present := applicationWith(v1alpha1.SucceededReason, "run 2 succeeded", nil)
	for name, tt := range map[string]struct {
		line          string
		now           []reply
		patched       []reply // default: now
		app           []reply
		code          int
		out, progress string
	}{
		"one":              {line: "--for 2026-03-27T02:30", out: requested},
		"two":              {line: "--for 2026-03-28T01:30:00Z --for 2026-03-27T02:30", out: requested + second},
		"a range of dates": {line: "--from 2026-03-27 --to 2026-03-28", out: requested + second},
		"a range of times": {line: "--from 2026-03-27T02:30 --to 2026-03-28T02:29", out: requested},
		"more than are kept": {
			line: "--from 2026-03-27 --to 2026-03-28", now: inCluster(func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.SuccessfulHistoryLimit = ptr.To[int32](1) }),
			out: requested + second, progress: "note: of the runs of this schedule, the last 1 that succeed and the last 1 that fail are kept",
		},
		"for scripts":       {line: "--for 2026-03-27T02:30 -o name", out: "sparkapplication.sparkgate.io/nightly-29576250\n", progress: requested},
		"behind another":    {line: "--for 2026-03-27T02:30", now: active, out: strings.Replace(requested, "requested", "requested; it starts when these have finished, or are deleted: nightly-1", 1)},
		"not one of them":   {line: "--for 2026-03-27T02:31", code: 1, progress: "2026-03-27T02:31:00+01:00 is not a time of the schedule: choose 2026-03-27T02:30:00+01:00 or 2026-03-28T02:30:00+01:00"},
		"not a time":        {line: "--for yesterday", code: 1, progress: `"yesterday" is not a time`},
		"to come":           {line: "--for 2126-03-27T02:30", code: 1, progress: "is in the future"},
		"none in the range": {line: "--from 2026-03-27T03:00 --to 2026-03-27T04:00", code: 1, progress: "the schedule was not due from 2026-03-27T03:00 to 2026-03-27T04:00"},
		"too many":          {line: "--from 1999-12-31 --to 2026-03-28", code: 1, progress: "there are more than 100 times"},
		"half a range":      {line: "--from 2026-03-27", code: cli.ExitUsage, progress: "set both --from and --to"},
		"an empty range":    {line: "--from= --to=", code: cli.ExitUsage, progress: "set both --from and --to"},
		"an empty time":     {line: "--for=", code: 1, progress: "the request names no time"},
		"a comment":         {line: "--for 2026-03-27T02:30#2 --for 2026-03-28T02:30", code: cli.ExitUsage, progress: "--for takes times without a #"},
		"both":              {line: "--from 2026-03-27 --to 2026-03-28 --for 2026-03-28", code: cli.ExitUsage, progress: "choose --for, or --from and --to"},
		"several logs":      {line: "--from 2026-03-27 --to 2026-03-28 --logs", code: cli.ExitUsage, progress: "--logs is for one run"},
		"it exists":         {line: "--for 2026-03-27T02:30", app: present, code: 1, progress: exists},
		"one exists":        {line: "--from 2026-03-27 --to 2026-03-28", app: present, out: second, progress: "skipped: " + exists},
		"unseen":            {line: "--for 2026-03-27T02:30", now: asked(nil), code: 1, progress: "the operator has not seen an earlier request for past times of nightly yet"},
		"pending": {line: "--for 2026-03-27T02:30", now: asked(&v1alpha1.RunForStatus{Request: "2026-03-01T02:30", Pending: []string{"2026-03-01T02:30:00+01:00"}}), code: 1,
			progress: "nightly still has past times to run that were requested before (1, the first of them 2026-03-01T02:30:00+01:00): wait until they have been created, " +
				"or withdraw it with kubectl annotate sgsched nightly -n spark sparkgate.io/run-for-"},
		"added to": {line: "--for 2026-03-27T02:30", now: asked(&v1alpha1.RunForStatus{Request: "2026-03-01", Result: v1alpha1.RunForCreated}), code: 1,
			progress: "the operator has not seen an earlier request"},
		"changed meanwhile": {line: "--for 2026-03-27T02:30", patched: append([]reply{conflict}, inCluster(nil)...), out: requested},
		"requested meanwhile": {line: "--for 2026-03-27T02:30", now: append(inCluster(nil), asked(nil)...), patched: []reply{conflict}, code: 1,
			progress: "the operator has not seen an earlier request"},
		"done": {line: "--for 2026-03-27T02:30", now: asked(&v1alpha1.RunForStatus{Request: "2026-03-01T02:30", Result: v1alpha1.RunForCreated}), out: requested},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.now == nil {
				tt.now = inCluster(nil)
			}
			if tt.patched == nil {
				tt.patched = tt.now
			}
			replies := map[string][]reply{"GET" + nightlyPath: tt.now, "PATCH" + nightlyPath: tt.patched}
			if tt.app != nil {
				replies[apis+"namespaces/spark/sparkapplications/nightly-29576250"] = tt.app
			}
			_, kubeconfig := startAPIServer(t, "mine", replies)
			code, out, progress := call("", append(strings.Fields("schedule run nightly "+tt.line), "--kubeconfig="+kubeconfig)...)
			if code != tt.code || out != tt.out || !strings.Contains(progress, tt.progress) {
				t.Errorf("exit code %d, %q, %q; want %d, %q, %q", code, out, progress, tt.code, tt.out, tt.progress)
			}
		})
	}
}
