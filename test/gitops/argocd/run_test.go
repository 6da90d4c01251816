// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestHealthyAtTheEnd: the Application is Progressing while the run is queued and while it runs, and Healthy at its end.
func TestHealthyAtTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "3Gi")
	first := w.Apply("first") // holds the quota
	w.Run(first)
	revision := w.deploy(files{"jobs/app.yaml": w.Manifest("pi")})
	app := w.App("pi")
	w.Reach(app, "Queued")
	w.is(progressing, revision)
	w.End("first", 0)
	w.Run(app)
	w.is(progressing, revision)
	w.End("pi", 0)
	w.is(healthy, revision)
	w.Ran("pi", "1/1")
}

// TestChangeRunsOnce: a change of the run runs it again, exactly once; a change of anything else does not.
func TestChangeRunsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	first := w.deploy(files{"jobs/app.yaml": w.Manifest("pi")})
	w.Succeed(w.App("pi"))
	w.is(healthy, first)
	second := w.push(files{"jobs/app.yaml": w.Manifest("pi", `arguments: ["8"]`)})
	w.Succeed(w.App("pi"))
	w.is(healthy, second)
	third := w.push(files{"jobs/app.yaml": w.Manifest("pi", `arguments: ["8"]`, "# a comment", "retention: {policy: Never}"), "jobs/README.md": "Notes.\n"})
	w.is(healthy, third)
	w.compared()
	w.is(healthy, third)
	w.Ran("pi", "1/1", "2/1")
}

// TestTwoQuickPushes: during a run two changes are pushed. The run continues; then the last one runs, once.
func TestTwoQuickPushes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	w.deploy(files{"jobs/app.yaml": w.Manifest("pi")})
	app := w.App("pi")
	w.Run(app)
	w.Git.Push(files{"jobs/app.yaml": w.Manifest("pi", `arguments: ["one"]`)})
	w.refresh("normal")
	last := w.push(files{"jobs/app.yaml": w.Manifest("pi", `arguments: ["two"]`)})
	w.is(progressing, last)
	w.End("pi", 0)
	env.Until(t, "the second run has a driver", func() bool { return slices.Contains(w.Drivers("pi"), "2/1") })
	driver := w.Run(app)
	if args := driver.Spec.Containers[0].Args; !slices.Contains(args, "two") || slices.Contains(args, "one") {
		t.Errorf("the second run has the arguments %v", args)
	}
	w.End("pi", 0)
	w.is(healthy, last)
	w.Ran("pi", "1/1", "2/1")
}

// TestPushWhileTheOperatorIsDown: nothing happens, and Argo CD does not call the old result that of the new revision.
func TestPushWhileTheOperatorIsDown(t *testing.T) {
	w := newWorld(t, "8Gi")
	first := w.deploy(files{"jobs/app.yaml": w.Manifest("pi")})
	w.Succeed(w.App("pi"))
	w.is(healthy, first)
	program := operator.Use(t)
	program.Stop()
	second := w.push(files{"jobs/app.yaml": w.Manifest("pi", `arguments: ["8"]`), "jobs/new.yaml": w.Manifest("new")})
	w.is(progressing, second)
	for _, name := range []string{"pi", "new"} {
		if got := w.node(v1alpha1.SparkApplicationKind, name).Health.Status; got != progressing {
			t.Errorf("%s is %s", name, got)
		}
	}
	program.Start(t)
	w.SucceedAll(w.App("pi"), w.App("new"))
	w.is(healthy, second)
	w.Ran("pi", "1/1", "2/1")
	w.Ran("new", "1/1")
}

// TestQueuesAndJobsInOne: an application and the tree of its queue arrive together, in whatever order. Queues have a health as well: one that is
// its own parent is Degraded.
func TestQueuesAndJobsInOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	tree := w.NewTree("one", "two")
	revision := w.deploy(files{"jobs/a-jobs.yaml": strings.Join(tree.Jobs, "---\n"), "jobs/z-queues.yaml": tree.Queues})
	w.SucceedAll(w.App("one"), w.App("two"))
	w.is(healthy, revision)
	if got := w.node(v1alpha1.SparkQueueKind, tree.Leaf).Health; got.Status != healthy {
		t.Errorf("the queue is %+v", got)
	}
	broken := w.push(files{"jobs/z-queues.yaml": replaced(tree.Queues, "parent: "+tree.Root, "parent: "+tree.Leaf)})
	w.is(degraded, broken)
	gone := w.push(files{"jobs/z-queues.yaml": "", "jobs/a-jobs.yaml": tree.Jobs[0]})
	w.is(healthy, gone)
	for _, name := range []string{tree.Leaf, tree.Root} {
		harness.Gone(t, &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
}
