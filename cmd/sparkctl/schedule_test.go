// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/testing/golden"
)

// TestScheduleNextOfFiles checks the upcoming times of schedules in files, around changes of daylight saving time.
func TestScheduleNextOfFiles(t *testing.T) {
	t.Parallel()
	const several = "testdata/schedule/several.yaml"
	tests := map[string]struct {
		args []string
		in   string
		code int
		err  []string
	}{
		"spring":     {args: []string{"-f", several, "--from", "2026-03-29", "--count", "4", "-n", "jobs"}},
		"autumn":     {args: []string{"-f", several, "--from=2026-10-25T00:30", "--count=5"}},
		"an instant": {args: []string{"-f", "../../examples/schedule.yaml", "--from", "2026-03-28T01:30:00Z", "--count", "2"}},
		"stdin": {args: []string{"-f", "-", "--from", "2026-06-01", "--count", "1"}, in: `{"apiVersion": "sparkgate.io/v1alpha1", "kind": "ScheduledSparkApplication",
			"metadata": {"name": "a"}, "spec": {"schedule": "0 0 1 jan ?", "template": {"spec": {"type": "Python", "sparkVersion": "4.1.4", "sparkConf": {"spark.db.password": "secret"}, "image": "i", "mainApplicationFile": "local:///a.py"}}},
			"status": {"activeCount": 7}}`},
		"mistakes": {
			args: []string{"-f", "testdata/schedule/mistakes.yaml", "--from", "2026-03-28", "--count", "1"}, code: 1,
			err: []string{"schedules with mistakes: 2 of 3", "mistakes.yaml:27: the document cannot be read"},
		},
		"a number as the namespace": {args: []string{"-f", several, "-n", "5", "--from", "2026-03-28", "--count", "1"}, err: []string{"note: -n is the namespace; the number of times is --count 5"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, problem := call(tc.in, append([]string{"schedule", "next"}, tc.args...)...)
			if code != tc.code || (problem == "") != (len(tc.err) == 0) {
				t.Fatalf("exit code %d, error %q; want %d", code, problem, tc.code)
			}
			for _, want := range tc.err {
				if !strings.Contains(problem, want) {
					t.Errorf("error %q, want %q", problem, want)
				}
			}
			golden.Compare(t, filepath.Join("testdata", "schedule", strings.ReplaceAll(name, " ", "-")+".txt"), out)
		})
	}
}

// inCluster returns a schedule of the API server with the status that the operator has written.
func inCluster(change func(*v1alpha1.ScheduledSparkApplication)) []reply {
	s := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "spark", Name: "nightly", Generation: 3}}
	s.Spec = v1alpha1.ScheduledSparkApplicationSpec{Schedule: "30 2 * * *", TimeZone: "Europe/Zurich"}
	s.Status = v1alpha1.ScheduledSparkApplicationStatus{ObservedGeneration: 3, LastRunTime: "2026-03-28T02:30:00+01:00"}
	scheduleIs(s, metav1.ConditionTrue, v1alpha1.ScheduledReason, "runs")
	if change != nil {
		change(s)
	}
	return []reply{{200, s}}
}

func scheduleIs(s *v1alpha1.ScheduledSparkApplication, ready metav1.ConditionStatus, reason, message string) {
	s.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ReadyCondition, Status: ready, Reason: reason, Message: message}}
}

func TestScheduleNextOfTheCluster(t *testing.T) {
	t.Parallel()
	const stored = apis + "namespaces/spark/scheduledsparkapplications/nightly"
	tests := map[string]struct {
		schedule []reply
		code     int
		err      string
	}{
		"works": {schedule: inCluster(func(s *v1alpha1.ScheduledSparkApplication) {
			s.Status.Active, s.Status.ActiveCount = []string{"nightly-29578650"}, 1
			s.Status.LastSuccessfulRun = &v1alpha1.ScheduledRun{Name: "nightly-29577210", Time: "2026-03-27T02:45:00+01:00", Message: "driver ended with exit code 0"}
			s.Status.LastFailedRun = &v1alpha1.ScheduledRun{Name: "nightly-m-3f9c01ab", Time: "2026-03-26T09:00:00+01:00"}
			s.Status.Missed = []v1alpha1.MissedRuns{
				{Reason: v1alpha1.MissedConcurrencyForbidden, Count: 2, Last: "2026-03-25T02:30:00+01:00"},
				{Reason: v1alpha1.MissedOperatorDown, Count: 1, Last: "2026-03-01T02:30:00+01:00"},
			}
		})},
		"suspended": {schedule: inCluster(func(s *v1alpha1.ScheduledSparkApplication) {
			s.Spec.Suspend = true
			scheduleIs(s, metav1.ConditionTrue, v1alpha1.SuspendedReason, "suspended")
		})},
		"its template": {code: 1, err: "schedules with mistakes: 1 of 1", schedule: inCluster(func(s *v1alpha1.ScheduledSparkApplication) {
			scheduleIs(s, metav1.ConditionFalse, v1alpha1.InvalidSpecReason, `spec.template.spec.type: Unsupported value: "Pyton"`)
		})},
		"never": {code: 1, err: "schedules with mistakes: 1 of 1", schedule: inCluster(func(s *v1alpha1.ScheduledSparkApplication) {
			s.Spec.Schedule, s.Status.ObservedGeneration = "0 0 30 2 *", -1
		})},
		"cannot create": {schedule: inCluster(func(s *v1alpha1.ScheduledSparkApplication) {
			scheduleIs(s, metav1.ConditionFalse, "CreateFailed", "application nightly-1 could not be created: exceeded quota")
		})},
		"not looked at": {schedule: inCluster(func(s *v1alpha1.ScheduledSparkApplication) {
			s.Status = v1alpha1.ScheduledSparkApplicationStatus{ObservedGeneration: -1}
		})},
		"a clock that was ahead": {schedule: inCluster(func(s *v1alpha1.ScheduledSparkApplication) {
			s.Status.Handled = &v1alpha1.HandledSchedule{Until: metav1.NewTime(time.Date(2199, 1, 1, 0, 0, 0, 0, time.UTC))}
		})},
		"nowhere":   {code: 1, err: "read the schedule nightly in namespace spark: "},
		"forbidden": {code: 1, err: "is forbidden", schedule: []reply{refusal(403, metav1.StatusReasonForbidden, "scheduledsparkapplications is forbidden")}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{stored: tc.schedule})
			code, out, problem := call("", "schedule", "next", "nightly", "--kubeconfig", kubeconfig, "--count", "2", "--from", "2026-03-29")
			if code != tc.code || !strings.Contains(problem, tc.err) || (problem == "") != (code == 0) {
				t.Fatalf("exit code %d, error %q; want %d, %q", code, problem, tc.code, tc.err)
			}
			if len(tc.schedule) > 0 && tc.schedule[0].code == 200 {
				golden.Compare(t, filepath.Join("testdata", "schedule", "cluster-"+strings.ReplaceAll(name, " ", "-")+".txt"), out)
			}
		})
	}
}

// TestThePageOfSchedulesIsTrue: the example in the documentation prints the text on the page.
func TestThePageOfSchedulesIsTrue(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/sparkctl.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## schedule\n")
	_, want, _ := strings.Cut(section, "\n```\n")
	want, _, _ = strings.Cut(want, "```")
	_, got, problem := call("", "schedule", "next", "-f", "../../examples/schedule.yaml", "--count", "3", "--from", "2026-03-28")
	if diff := cmp.Diff(want, got); diff != "" || problem != "" {
		t.Errorf("error %q, docs/sparkctl.md (-page +real output):\n%s", problem, diff)
	}
}

func TestScheduleCalls(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args []string
		code int
		err  string
	}{
		"nothing":            {code: 2, err: "write sparkctl schedule list, next, resume, run or suspend; see sparkctl schedule --help"},
		"another verb":       {args: []string{"last", "nightly"}, code: 2, err: "write sparkctl schedule list, next, resume, run or suspend"},
		"no name":            {args: []string{"next"}, code: 2, err: "name one schedule, or files with -f FILE"},
		"two names":          {args: []string{"next", "a", "b"}, code: 2, err: "name one schedule"},
		"a name and a file":  {args: []string{"next", "a", "-f", "b"}, code: 2, err: "name one schedule"},
		"none":               {args: []string{"next", "a", "--count", "0"}, code: 2, err: "--count is 0; set it to 1 to 1000"},
		"too many":           {args: []string{"next", "a", "--count", "1001"}, code: 2, err: "--count is 1001"},
		"no time":            {args: []string{"next", "a", "--from", "tomorrow"}, code: 2, err: `--from is "tomorrow"; write a time such as`},
		"unknown flag":       {args: []string{"next", "a", "--all"}, code: 2, err: "see sparkctl schedule next --help"},
		"no such file":       {args: []string{"next", "-f", "testdata/none"}, code: 1, err: "testdata/none"},
		"a file without any": {args: []string{"next", "-f", "../../examples/pi.yaml"}, code: 1, err: "the files contain no ScheduledSparkApplication"},
		"no such kubeconfig": {args: []string{"next", "a", "--kubeconfig", "testdata/none"}, code: 1, err: "read the kubeconfig"},
		"help":               {args: []string{"-h"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, _, problem := call("", append([]string{"schedule"}, tc.args...)...)
			if code != tc.code || !strings.Contains(problem, tc.err) || (problem == "") != (code == 0) {
				t.Errorf("exit code %d, error %q; want %d, %q", code, problem, tc.code, tc.err)
			}
		})
	}
}
