// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package flux

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestReadyAtTheEnd: the Kustomization waits while the application is queued and while it runs, and is ready at its end.
func TestReadyAtTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "3Gi")
	first := w.Apply("first") // holds the quota
	w.Run(first)
	revision := w.deploy(files{"jobs/app.yaml": w.Manifest("pi")}, map[string][]string{"jobs": nil})
	app := w.App("pi")
	w.Reach(app, "Queued")
	w.waits("jobs", revision)
	w.End("first", 0)
	w.Run(app)
	if v := w.verdict("jobs"); !v.is(metav1.ConditionUnknown, "Progressing") {
		t.Errorf("while it runs: %s", v)
	}
	w.End("pi", 0)
	w.ready("jobs", revision)
	w.Ran("pi", "1/1")
}

// TestFailsAtOnce: a failed run fails the Kustomization long before its timeout. A fix in Git runs it again.
func TestFailsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	w.deploy(files{"jobs/app.yaml": w.Manifest("pi")}, map[string][]string{"jobs": nil})
	w.Run(w.App("pi"))
	w.End("pi", 1)
	w.becomes("jobs", metav1.ConditionFalse, "HealthCheckFailed", "failed early due to stalled resources", "SparkApplication/"+w.Namespace+"/pi")
	fixed := w.push(files{"jobs/app.yaml": w.Manifest("pi", `arguments: ["4"]`)})
	w.Succeed(w.App("pi"))
	w.ready("jobs", fixed)
	w.Ran("pi", "1/1", "2/1")
}

// TestMistakeInAStream: a push with a mistake fails the Kustomization at once, and the stream continues. The fix restarts it.
func TestMistakeInAStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	first := w.deploy(files{"jobs/app.yaml": w.Manifest("stream", "readyWhen: Running")}, map[string][]string{"jobs": nil})
	app := w.App("stream")
	w.Kubelet.Executors(t.Context(), w.Run(app), 2)
	w.ready("jobs", first)
	w.push(files{"jobs/app.yaml": w.Manifest("stream", "readyWhen: Running", "mainClass: org.example.Main")})
	w.becomes("jobs", metav1.ConditionFalse, "HealthCheckFailed", "failed early due to stalled resources", "SparkApplication/"+w.Namespace+"/stream")
	if w.Ran("stream", "1/1"); len(w.Pods()) != 3 {
		t.Errorf("%d pods, want the stream", len(w.Pods()))
	}
	fixed := w.push(files{"jobs/app.yaml": w.Manifest("stream", "readyWhen: Running", `arguments: ["4"]`)})
	env.Until(t, "the second run has a driver", func() bool { return slices.Contains(w.Drivers("stream"), "2/1") })
	w.Kubelet.Executors(t.Context(), w.Run(app), 2)
	w.ready("jobs", fixed)
}

// TestDependsOn: the second pipeline is not even applied before the run of the first one has succeeded.
func TestDependsOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	revision := w.deploy(files{"ingest/app.yaml": w.Manifest("ingest"), "report/app.yaml": w.Manifest("report")},
		map[string][]string{"ingest": nil, "report": {"dependsOn: [{name: ingest}]"}})
	w.Run(w.App("ingest"))
	w.becomes("report", metav1.ConditionFalse, "DependencyNotReady", "ingest")
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(w.App("report")), w.App("report")); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("report exists while ingest runs (%v)", err)
	}
	w.End("ingest", 0)
	w.ready("ingest", revision)
	w.Succeed(w.App("report"))
	w.ready("report", revision)
}

// TestPruneCancels: the manifest is removed during the run. The driver ends, the quota is free for the next one, the object goes.
func TestPruneCancels(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "3Gi")
	w.deploy(files{"jobs/pi.yaml": w.Manifest("pi"), "jobs/README.md": "Jobs of a team.\n"}, map[string][]string{"jobs": nil})
	app := w.App("pi")
	w.Run(app)
	next := w.Apply("next")
	w.Reach(next, "Queued")
	revision := w.push(files{"jobs/pi.yaml": ""})
	harness.Gone(t, app)
	w.ready("jobs", revision)
	w.Succeed(next)
	w.NothingRuns()
	w.Unused()
}

// TestSuspendByGit: suspend: true stops the run and gives the quota back; a Kustomization with the expression of gitops is done with it.
// Removed again, the run continues with a new attempt.
func TestSuspendByGit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	w.deploy(files{"jobs/app.yaml": w.Manifest("pi")}, map[string][]string{"jobs": healthCheckExprs(t, "suspendedIsDone")})
	app := w.App("pi")
	w.Run(app)
	suspended := w.push(files{"jobs/app.yaml": w.Manifest("pi", "suspend: true")})
	w.Reach(app, "Suspended")
	w.ready("jobs", suspended)
	w.Unused()
	resumed := w.push(files{"jobs/app.yaml": w.Manifest("pi")})
	w.Succeed(app)
	w.ready("jobs", resumed)
	w.Ran("pi", "1/1", "1/2")
}

// TestChangeRunsOnce: a change of the run runs it again, exactly once; a change of anything else does not.
func TestChangeRunsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	first := w.deploy(files{"jobs/app.yaml": w.Manifest("pi")}, map[string][]string{"jobs": nil})
	w.Succeed(w.App("pi"))
	w.ready("jobs", first)
	second := w.push(files{"jobs/app.yaml": w.Manifest("pi", `arguments: ["8"]`)})
	w.Succeed(w.App("pi"))
	w.ready("jobs", second)
	third := w.push(files{"jobs/app.yaml": w.Manifest("pi", `arguments: ["8"]`, "# a comment", "retention: {policy: Never}"), "jobs/README.md": "Notes.\n"})
	w.ready("jobs", third)
	w.request("Kustomization", "jobs")
	w.ready("jobs", third)
	w.Ran("pi", "1/1", "2/1")
}

// TestTwoQuickPushes: during a run two changes are pushed. The run continues; then the last one runs, once.
func TestTwoQuickPushes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	w.deploy(files{"jobs/app.yaml": w.Manifest("pi")}, map[string][]string{"jobs": nil})
	app := w.App("pi")
	w.Run(app)
	w.push(files{"jobs/app.yaml": w.Manifest("pi", `arguments: ["one"]`)})
	last := w.push(files{"jobs/app.yaml": w.Manifest("pi", `arguments: ["two"]`)})
	w.waits("jobs", last)
	w.End("pi", 0)
	env.Until(t, "the second run has a driver", func() bool { return slices.Contains(w.Drivers("pi"), "2/1") })
	driver := w.Run(app)
	if args := driver.Spec.Containers[0].Args; !slices.Contains(args, "two") || slices.Contains(args, "one") {
		t.Errorf("the second run has the arguments %v", args)
	}
	w.End("pi", 0)
	w.ready("jobs", last)
	w.Ran("pi", "1/1", "2/1")
}

// TestPushWhileTheOperatorIsDown: nothing happens, the Kustomization waits and does not call the old result that of the new revision.
func TestPushWhileTheOperatorIsDown(t *testing.T) {
	w := newWorld(t, "8Gi")
	first := w.deploy(files{"jobs/app.yaml": w.Manifest("pi")}, map[string][]string{"jobs": nil})
	w.Succeed(w.App("pi"))
	w.ready("jobs", first)
	program := operator.Use(t)
	program.Stop()
	second := w.push(files{"jobs/app.yaml": w.Manifest("pi", `arguments: ["8"]`), "jobs/new.yaml": w.Manifest("new")})
	w.waits("jobs", second)
	program.Start(t)
	w.SucceedAll(w.App("pi"), w.App("new"))
	w.ready("jobs", second)
	w.Ran("pi", "1/1", "2/1")
	w.Ran("new", "1/1")
}
