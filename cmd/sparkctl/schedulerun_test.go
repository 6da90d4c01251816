// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fluxcd/pkg/apis/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/job/tick"
)

const nightlyPath = " /apis/sparkgate.io/v1alpha1/namespaces/spark/scheduledsparkapplications/nightly"

// askedFor returns a schedule for which a run was requested with a token, and its status.
func askedFor(token string, change func(*v1alpha1.ScheduledSparkApplication)) []reply {
	return inCluster(func(s *v1alpha1.ScheduledSparkApplication) {
		s.Annotations = map[string]string{meta.ReconcileRequestAnnotation: token, meta.ForceRequestAnnotation: token}
		s.Status.LastHandledReconcileAt = token
		if change != nil {
			change(s)
		}
	})
}

// TestScheduleRunSaysWhatItWaitsFor: the note depends on the schedule's concurrencyPolicy and its unfinished
// applications.
func TestScheduleRunSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	active := func(policy v1alpha1.ConcurrencyPolicy) func(*v1alpha1.ScheduledSparkApplication) {
		return func(s *v1alpha1.ScheduledSparkApplication) {
			s.Spec.ConcurrencyPolicy, s.Status.Active, s.Status.ActiveCount = policy, []string{"nightly-1", "nightly-2"}, 2
		}
	}
	for name, tt := range map[string]struct {
		change func(*v1alpha1.ScheduledSparkApplication)
		want   string
	}{
		"nothing":   {nil, " is requested\n"},
		"suspended": {func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.Suspend = true }, " is requested\n"},
		"Forbid":    {active(""), " is requested; concurrencyPolicy Forbid: it starts when these have finished, or are stalled: nightly-1, nightly-2\n"},
		"Replace":   {active(v1alpha1.ConcurrencyReplace), " is requested; concurrencyPolicy Replace: it starts when these are deleted: nightly-1, nightly-2\n"},
		"Allow":     {active(v1alpha1.ConcurrencyAllow), " is requested\n"},
		"a mistake": {func(s *v1alpha1.ScheduledSparkApplication) {
			scheduleIs(s, metav1.ConditionFalse, v1alpha1.InvalidSpecReason, "spec.template.spec.type: wrong")
		}, " is requested; nothing is run until the schedule is corrected: spec.template.spec.type: wrong\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{"PATCH" + nightlyPath: askedFor("ours", tt.change)})
			code, out, problem := call("", "schedule", "run", "sgsched/nightly", "--kubeconfig="+kubeconfig)
			if code != 0 || !strings.HasPrefix(out, "scheduledsparkapplication.sparkgate.io/nightly: run nightly-m-") || !strings.HasSuffix(out, tt.want) {
				t.Errorf("exit code %d, %q, %q; want %q", code, out, problem, tt.want)
			}
		})
	}
}

// TestScheduleRunThatIsReplaced: the command waits for the run of a later request that has replaced ours. A request for
// a look alone voids ours, and a mistake in the schedule ends the wait.
func TestScheduleRunThatIsReplaced(t *testing.T) {
	t.Parallel()
	later := tick.RequestedName("nightly", "a later one")
	for name, tt := range map[string]struct {
		now  []reply
		code int
		want string
	}{
		"by another": {askedFor("a later one", func(s *v1alpha1.ScheduledSparkApplication) { s.Status.LastHandledForceAt = "a later one" }), 0, "Succeeded: run 2 succeeded"},
		"not yet":    {askedFor("a later one", nil), cli.ExitTimeout, "waiting for " + later + " to be created\n"},
		"by a look":  {askedFor("a look", func(s *v1alpha1.ScheduledSparkApplication) { s.Annotations[meta.ForceRequestAnnotation] = "ours" }), cli.ExitFailed, "request the run again"},
		"with a mistake": {askedFor("a later one", func(s *v1alpha1.ScheduledSparkApplication) {
			scheduleIs(s, metav1.ConditionFalse, v1alpha1.InvalidSpecReason, "wrong")
		}), cli.ExitRunFailed, "nightly cannot run: InvalidSpec: wrong"},
		"that is refused": {askedFor("a later one", func(s *v1alpha1.ScheduledSparkApplication) {
			scheduleIs(s, metav1.ConditionFalse, "CreateFailed", "exceeded quota")
		}), cli.ExitTimeout, later + " to be created; CreateFailed: exceeded quota"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			succeeded := applicationWith(v1alpha1.SucceededReason, "run 2 succeeded", func(s *v1alpha1.SparkApplicationStatus) { s.ObservedGeneration = 1 })
			succeeded[0].body.(*v1alpha1.SparkApplication).Generation = 1
			_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
				"PATCH" + nightlyPath: askedFor("ours", nil), "GET" + nightlyPath: tt.now, apis + "namespaces/spark/sparkapplications/" + later: succeeded,
			})
			timeout := map[bool]string{true: "1s", false: "1m"}[tt.code == cli.ExitTimeout]
			code, _, problem := call("", "schedule", "run", "nightly", "--wait", "--timeout", timeout, "--kubeconfig="+kubeconfig)
			if code != tt.code || !strings.Contains(problem, tt.want) {
				t.Errorf("exit code %d, want %d, %q in:\n%s", code, tt.code, tt.want, problem)
			}
			if suspend := strings.Contains(problem, "sparkctl suspend"); suspend {
				t.Errorf("what was not created cannot be suspended: %s", problem)
			}
		})
	}
}

// TestNamesOfSchedules: the name of the run alone is for scripts; the kind of another object is a mistake.
func TestNamesOfSchedules(t *testing.T) {
	t.Parallel()
	_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{"PATCH" + nightlyPath: askedFor("ours", nil)})
	code, out, problem := call("", "schedule", "trigger", "scheduledsparkapplication.sparkgate.io/nightly", "-o", "name", "--kubeconfig="+kubeconfig)
	if code != 0 || !strings.HasPrefix(out, "sparkapplication.sparkgate.io/nightly-m-") || strings.Count(out, "\n") != 1 || !strings.Contains(problem, "is requested") {
		t.Errorf("exit code %d, %q, %q", code, out, problem)
	}
	for _, line := range []string{"schedule run sgapp/nightly", "schedule run a/b/c", "schedule run sgsched/", "schedule suspend sgq/nightly", "schedule next sgapp/nightly"} {
		if code, _, problem := call("", strings.Fields(line)...); code != cli.ExitUsage || !strings.Contains(problem, "name a schedule: NAME or sgsched/NAME") {
			t.Errorf("%s: exit code %d, %q", line, code, problem)
		}
	}
	for _, line := range []string{"schedule run", "schedule run a b", "schedule resume"} {
		if code, _, problem := call("", strings.Fields(line)...); code != cli.ExitUsage || !strings.Contains(problem, "name one schedule, as sparkctl schedule list prints them; see sparkctl schedule ") {
			t.Errorf("%s: exit code %d, %q", line, code, problem)
		}
	}
}

// TestSuspendedSchedule: what still runs of it is named.
func TestSuspendedSchedule(t *testing.T) {
	t.Parallel()
	_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
		"PATCH" + nightlyPath: inCluster(func(s *v1alpha1.ScheduledSparkApplication) {
			s.Status.Active, s.Status.RunFor = []string{"nightly-1"}, &v1alpha1.RunForStatus{Pending: []string{"2026-01-01T02:30:00Z", "2026-01-02T02:30:00Z"}}
		}),
	})
	for line, want := range map[string]string{
		"schedule suspend nightly": "scheduledsparkapplication.sparkgate.io/nightly suspended; sparkctl schedule resume nightly -n spark continues it; " +
			"not finished, and not stopped by that: nightly-1; 2 past times pending, and will run: " +
			"kubectl annotate sgsched nightly -n spark sparkgate.io/run-for- withdraws them\n",
		"schedule resume nightly": "scheduledsparkapplication.sparkgate.io/nightly resumed; sparkctl schedule next nightly -n spark says when it is due\n",
	} {
		if code, out, problem := call("", append(strings.Fields(line), "--kubeconfig="+kubeconfig)...); code != 0 || out != want {
			t.Errorf("%s: exit code %d, %q, %q", line, code, out, problem)
		}
	}
}

// TestWaitForAStream: it is over when the stream is ready, as for kubectl wait and Flux.
func TestWaitForAStream(t *testing.T) {
	t.Parallel()
	replies := applicationWith(v1alpha1.RunningReason, "the driver runs", func(s *v1alpha1.SparkApplicationStatus) { s.Conditions[0].Status = metav1.ConditionTrue })
	replies[0].body.(*v1alpha1.SparkApplication).Spec.ReadyWhen = v1alpha1.ReadyWhenRunning
	_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
		"POST /apis/sparkgate.io/v1alpha1/namespaces/spark/sparkapplications": replies, apis + "namespaces/spark/sparkapplications/pi": replies,
	})
	manifest, err := json.Marshal(map[string]any{"apiVersion": v1alpha1.GroupVersion.String(), "kind": v1alpha1.SparkApplicationKind, "metadata": map[string]any{"name": "pi"}})
	if err != nil {
		t.Fatal(err)
	}
	code, _, problem := call(string(manifest), "submit", "-f", "-", "--wait", "--timeout=10s", "--kubeconfig="+kubeconfig)
	if code != 0 || !strings.Contains(problem, "run 2, attempt 1: Running: the driver runs\n") {
		t.Errorf("exit code %d: %s", code, problem)
	}
}

// TestScheduleList: what is wrong with a schedule is said; nothing found is not an error; and for scripts there are
// names and JSON.
func TestScheduleList(t *testing.T) {
	t.Parallel()
	wrong := inCluster(func(s *v1alpha1.ScheduledSparkApplication) {
		scheduleIs(s, metav1.ConditionFalse, "CreateFailed", "exceeded quota")
	})[0].body
	unseen := inCluster(func(s *v1alpha1.ScheduledSparkApplication) { s.Status.ObservedGeneration = 2 })[0].body
	_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
		apis + "namespaces/spark/scheduledsparkapplications": listOf(wrong, unseen), apis + "namespaces/none/scheduledsparkapplications": listOf[any](),
	})
	for line, want := range map[string]string{
		"schedule list":                   "CreateFailed: exceeded quota\n",
		"schedule ls":                     "the operator has not looked at it yet\n",
		"schedule list -o name":           "scheduledsparkapplication.sparkgate.io/nightly\n",
		"schedule list -o json":           `"kind": "List"`,
		"schedule list -n none -o json":   `"items": []`,
		"schedule list -n none -l team=a": "No ScheduledSparkApplications found in namespace none with labels team=a.\n",
	} {
		if code, out, problem := call("", append(strings.Fields(line), "--kubeconfig="+kubeconfig)...); code != 0 || !strings.Contains(out+problem, want) {
			t.Errorf("%s: exit code %d, %q, %q, want %q", line, code, out, problem, want)
		}
	}
}
