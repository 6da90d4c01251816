// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package restart

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestStoppedBeforeApply: what was applied while no operator ran, runs once when it is back.
func TestStoppedBeforeApply(t *testing.T) {
	w := harness.NewWorld(t, "8Gi", nil)
	start(t).Stop()
	app := w.Apply("pi")
	start(t)
	w.Succeed(app)
	if gocmp.Diff(map[string]int{"1/1": 1}, w.Kubelet.Created(app.UID)) != "" || app.Status.Run != 1 {
		t.Errorf("want one run: %v %s", w.Kubelet.Created(app.UID), harness.Show(app))
	}
}

// TestAppliedWhileStopped: who waits since before the operator was there, is served by priority and age all the same.
func TestAppliedWhileStopped(t *testing.T) {
	w := harness.NewWorld(t, "3Gi", nil)
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.PriorityClassNames = []string{"system-node-critical"} })
	var apps []*v1alpha1.SparkApplication
	for i := range 6 {
		apps = append(apps, w.Apply(fmt.Sprintf("app-%d", i)))
	}
	first := w.Apply("first", func(a *v1alpha1.SparkApplication) { a.Spec.Queue.PriorityClassName = "system-node-critical" })
	start(t)
	for _, app := range apps {
		w.Reach(app, "Queued")
	}
	w.Succeed(first)
}

// TestLedgerAtRest: when no application is on its way to its grant, the ledger has no entries, also those that a process before has left.
func TestLedgerAtRest(t *testing.T) {
	w := harness.NewWorld(t, "8Gi", nil)
	empty := func(q *v1alpha1.SparkQueue) bool { return q.Status.Ledger != nil && q.Status.Ledger.Entries == "" }
	operator := start(t)
	w.Run(w.Apply("first"))
	harness.Eventually(t, w.Queue, "with a ledger that is empty again", func(q *v1alpha1.SparkQueue) bool {
		return empty(q) && q.Status.Ledger.Seq >= 3 // taken over, written with the grant, and once more
	})
	second := w.Apply("second")
	w.Reach(second, "Starting")
	operator.Stop()
	start(t)
	w.Kubelet.Start(t.Context(), w.Driver(second))
	w.Reach(second, "Running")
	harness.Eventually(t, w.Queue, "with an empty ledger after a restart", empty)
}

// TestStoppedDuringTheRun: the driver ends while no operator runs. Its end is reported once, as it was.
func TestStoppedDuringTheRun(t *testing.T) {
	for name, tc := range map[string]struct {
		code  int32
		stage string
	}{"succeeds": {0, "Succeeded"}, "fails": {5, "Failed"}} {
		t.Run(name, func(t *testing.T) {
			w := harness.NewWorld(t, "3Gi", nil)
			w.History.MemoryLimit = 3 << 30
			operator := start(t)
			app := w.Apply("pi")
			driver := w.Run(app)
			next := w.Apply("next")
			w.Reach(next, "Queued")
			operator.Stop()
			w.Kubelet.Finish(t.Context(), driver, tc.code, "Error")
			start(t)
			w.Reach(app, tc.stage)
			w.Succeed(next)
			if a := app.Status.Attempts; len(a) != 1 || a[0].ExitCode == nil || *a[0].ExitCode != tc.code {
				t.Errorf("attempts: %+v", a)
			}
			ends := 0
			for _, stage := range w.History.Stages(app) {
				if stage == "1/1 "+tc.stage {
					ends++
				}
			}
			if ends != 1 || len(w.Kubelet.Created(app.UID)) != 1 {
				t.Errorf("the end was reported %d times: %v", ends, w.History.Stages(app))
			}
			w.Unused()
		})
	}
}

// TestChangedWhileStopped: what users do while no operator runs is done when it is back.
func TestChangedWhileStopped(t *testing.T) {
	tests := map[string]struct {
		change func(*testing.T, *harness.World, *v1alpha1.SparkApplication)
		want   func(*testing.T, *harness.World, *v1alpha1.SparkApplication)
	}{
		"suspended": {func(t *testing.T, _ *harness.World, app *v1alpha1.SparkApplication) {
			harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
		}, func(_ *testing.T, w *harness.World, app *v1alpha1.SparkApplication) { w.Reach(app, "Suspended") }},
		"edited": {func(t *testing.T, _ *harness.World, app *v1alpha1.SparkApplication) {
			harness.Change(t, app, func(a *v1alpha1.SparkApplication) {
				a.Spec.RunID, a.Spec.OnTemplateChange = "2", v1alpha1.TemplateChangeRestart
			})
		}, func(t *testing.T, _ *harness.World, app *v1alpha1.SparkApplication) {
			harness.Eventually(t, app, "in run 2", func(a *v1alpha1.SparkApplication) bool { return a.Status.Run == 2 })
		}},
		"deleted": {func(t *testing.T, _ *harness.World, app *v1alpha1.SparkApplication) {
			if err := env.Client().Delete(t.Context(), app); err != nil {
				t.Fatal(err)
			}
		}, func(t *testing.T, _ *harness.World, app *v1alpha1.SparkApplication) { harness.Gone(t, app) }},
		"driver deleted by somebody": {func(t *testing.T, w *harness.World, app *v1alpha1.SparkApplication) {
			if err := env.Client().Delete(t.Context(), w.Driver(app), client.GracePeriodSeconds(0)); err != nil {
				t.Fatal(err)
			}
		}, func(_ *testing.T, w *harness.World, app *v1alpha1.SparkApplication) { w.Reach(app, "Failed") }},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := harness.NewWorld(t, "3Gi", nil)
			w.History.MemoryLimit = 3 << 30
			operator := start(t)
			app := w.Apply("pi")
			w.Run(app)
			operator.Stop()
			tc.change(t, w, app)
			next := w.Apply("next")
			start(t)
			tc.want(t, w, app)
			if app.Status.Run == 2 { // whether it or the next one is served first, is not promised
				w.SucceedAll(app, next)
			} else {
				w.Succeed(next)
			}
			w.NothingRuns()
			w.Unused()
		})
	}
}

// TestOrphansAfterARestart: the application went, without its finalizer, while no operator ran. Its pods are ended, and charged until they
// are gone: the next application waits for them.
func TestOrphansAfterARestart(t *testing.T) {
	var hold atomic.Bool
	hold.Store(true)
	w := harness.NewWorld(t, "3Gi", &harness.Kubelet{Run: harness.Manual, Hold: func(*corev1.Pod) bool { return hold.Load() }})
	w.History.MemoryLimit = 3 << 30
	operator := start(t)
	app := w.Apply("pi")
	driver := w.Run(app)
	w.Kubelet.Executors(t.Context(), driver, 2)
	operator.Stop()
	if err := env.Client().Delete(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Finalizers = nil })
	next := w.Apply("next")
	start(t)
	harness.Eventually(t, driver, "asked to end", func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil })
	w.Reach(next, "Queued")
	harness.Eventually(t, w.Queue, "counting the orphans", func(q *v1alpha1.SparkQueue) bool { return q.Status.Admitted == 1 && q.Status.Pending == 1 })
	hold.Store(false)
	w.Succeed(next)
	w.Unused()
}

// TestQueueIsDeletedInUse: what a job holds in a queue that is gone weighs on the queue above it, also for an operator that has never seen
// the deleted one.
func TestQueueIsDeletedInUse(t *testing.T) {
	w := harness.NewWorld(t, "", nil)
	root := harness.Queue(t, w.Namespace+"-root", "", "3Gi")
	gone, other := harness.Queue(t, w.Namespace+"-gone", root.Name, ""), harness.Queue(t, w.Namespace+"-other", root.Name, "")
	in := func(q *v1alpha1.SparkQueue) func(*v1alpha1.SparkApplication) {
		return func(a *v1alpha1.SparkApplication) { a.Spec.Queue.Name = q.Name }
	}
	operator := start(t)
	app := w.Apply("pi", in(gone))
	driver := w.Run(app)
	operator.Stop()
	if err := env.Client().Delete(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	harness.Gone(t, gone)
	next := w.Apply("next", in(other))
	start(t)
	w.Reach(next, "Queued")
	harness.Eventually(t, root, "counting both", func(q *v1alpha1.SparkQueue) bool { return q.Status.Admitted == 1 && q.Status.Pending == 1 })
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, "Succeeded")
	w.Succeed(next)
}

// TestKilledAgainAndAgain: with quota for three, the operator is killed while three run and twenty wait, and again while they come to
// their turn. Pods and grants never exceed the quota, each attempt has one driver, and no later one passes.
func TestKilledAgainAndAgain(t *testing.T) {
	const quota, many = 3, 23
	var ended atomic.Int32
	release := make(chan struct{})
	w := harness.NewWorld(t, "8100Mi", &harness.Kubelet{Run: func(ctx context.Context, k *harness.Kubelet, driver *corev1.Pod) {
		if k.RunUntil(ctx, driver, release) {
			ended.Add(1)
		}
	}})
	w.History.MemoryLimit = 8100 << 20
	network := harness.NewNetwork(nil)
	operator := harness.StartOperator(t, harness.OperatorOptions{Network: network.Wrap})
	kill := func() {
		network.Cut()
		operator.Stop()
		network = harness.NewNetwork(nil)
		operator = harness.StartOperator(t, harness.OperatorOptions{Network: network.Wrap})
	}
	var apps []*v1alpha1.SparkApplication
	for i := range many {
		apps = append(apps, w.Apply(fmt.Sprintf("app-%d", i)))
	}
	harness.Eventually(t, w.Queue, "full", func(q *v1alpha1.SparkQueue) bool {
		return q.Status.Admitted == quota && q.Status.Pending == many-quota
	})
	waiting := slices.DeleteFunc(slices.Clone(apps), func(app *v1alpha1.SparkApplication) bool {
		harness.Eventually(t, app, "reported", func(a *v1alpha1.SparkApplication) bool { return harness.Stage(a) != "" })
		return app.Status.Grant != nil
	})
	kill()
	close(release)
	for round := int32(1); round <= 3; round++ {
		for ended.Load() < 5*round {
			harness.Eventually(t, w.Queue, "there", func(*v1alpha1.SparkQueue) bool { return true })
		}
		kill()
	}
	for _, app := range apps {
		w.Reach(app, "Succeeded")
		if diff := gocmp.Diff(map[string]int{"1/1": 1}, w.Kubelet.Created(app.UID)); diff != "" {
			t.Errorf("drivers of %s by attempt (-want +got):\n%s", app.Name, diff)
		}
	}
	inTurn(t, w, waiting, quota)
	w.Unused()
}

// inTurn checks that what was admitted had at most as many older ones before it that were not as can be let in together.
func inTurn(t *testing.T, w *harness.World, apps []*v1alpha1.SparkApplication, together int) {
	t.Helper()
	line := slices.Clone(apps)
	slices.SortFunc(line, func(a, b *v1alpha1.SparkApplication) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.UID, b.UID))
	})
	admitted := map[string]string{} // by the version at which the grant was written
	for _, app := range line {
		for _, v := range w.History.Versions(app) {
			if v.Status.Grant != nil {
				admitted[app.Name] = fmt.Sprintf("%020s", v.ResourceVersion)
				break
			}
		}
	}
	for i, app := range line {
		passed := 0
		for _, older := range line[:i] {
			if admitted[older.Name] > admitted[app.Name] {
				passed++
			}
		}
		if passed >= together {
			t.Errorf("%s, number %d in line, was let in before %d older ones", app.Name, i+1, passed)
		}
	}
}
