// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// led waits until the leader of a tree serves a queue; empty: that no tree's leader does.
func led(t *testing.T, queue *v1alpha1.SparkQueue, tree string) {
	t.Helper()
	harness.Eventually(t, queue, "served by the leader of "+tree, func(q *v1alpha1.SparkQueue) bool { return q.Status.Tree == tree })
}

// TestQueuesAndApplicationsMove moves a queue with jobs to another tree, and an application to another queue; a tree
// comes and goes. What runs continues and stays charged, and what waits is served by the replica that has it then.
func TestQueuesAndApplicationsMove(t *testing.T) {
	w := harness.NewWorld(t, "3000Mi", nil) // one application, and not two
	from := w.Namespace
	to := harness.Queue(t, from+"-to", "", "100Mi")
	moves := harness.Queue(t, from+"-moves", from, "3000Mi")
	r := newReplicas(t, 2)
	led(t, moves, from)
	led(t, to, to.Name)
	r.settled([]string{from, to.Name})

	in := func(queue string) func(*v1alpha1.SparkApplication) {
		return func(app *v1alpha1.SparkApplication) { app.Spec.Queue.Name = queue }
	}
	runs, second := w.Apply("runs", in(moves.Name)), w.Apply("second", in(moves.Name))
	w.Run(runs)
	w.Run(second) // borrows from the root
	waits := w.Apply("waits", in(moves.Name))
	harness.Eventually(t, waits, "waiting", func(a *v1alpha1.SparkApplication) bool {
		return harness.Stage(a) == "Queued" && a.Status.Queue == moves.Name
	})

	harness.Change(t, moves, func(q *v1alpha1.SparkQueue) { q.Spec.Parent = to.Name })
	led(t, moves, to.Name)
	harness.Eventually(t, moves, "charged in the new tree", func(q *v1alpha1.SparkQueue) bool { return q.Status.Admitted == 2 && q.Status.Pending == 1 })
	harness.Eventually(t, w.Queue, "free of it", func(q *v1alpha1.SparkQueue) bool { return q.Status.Admitted == 0 })
	for _, app := range []*v1alpha1.SparkApplication{runs, second} { // under the leader that has it now
		w.Kubelet.Finish(t.Context(), w.Driver(app), 0, "Completed")
		w.Reach(app, v1alpha1.SucceededReason)
	}
	w.Succeed(waits)

	// An application moves while it waits, to a queue that does not exist, and then does, as a tree of its own.
	first := w.Apply("first", in(moves.Name))
	w.Run(first)
	waits = w.Apply("moves", in(moves.Name))
	harness.Eventually(t, waits, "waiting", func(a *v1alpha1.SparkApplication) bool { return harness.Stage(a) == "Queued" })
	later := from + "-later"
	harness.Change(t, waits, in(later))
	harness.Eventually(t, waits, "without a queue", func(a *v1alpha1.SparkApplication) bool {
		return harness.Stage(a) == v1alpha1.ReferenceNotFoundReason || a.Status.Queue == later
	})
	queue := harness.Queue(t, later, "", "3000Mi")
	led(t, queue, later)
	w.Run(waits)
	env.UntilSeen(t, "the queue counts what runs in it", func() (bool, any) {
		err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(queue), queue)
		return err == nil && queue.Status.Admitted == 1, queue.Status
	})

	// The tree goes while its application runs, which ends as ever.
	if err := env.Client().Delete(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	env.UntilSeen(t, "the lease of the tree is given back", func() (bool, any) { of := r.leads(); return of[later] == "", of })
	for _, app := range []*v1alpha1.SparkApplication{waits, first} {
		w.Kubelet.Finish(t.Context(), w.Driver(app), 0, "Completed")
		w.Reach(app, v1alpha1.SucceededReason)
	}
}

// TestKilledInTheMiddleOfAMove kills, while a queue with jobs moves to another tree, the replica that gives it up or the one
// that takes it. The queue arrives, what runs in it continues and is charged, and what waits runs once.
func TestKilledInTheMiddleOfAMove(t *testing.T) {
	for name, gives := range map[string]bool{"the one that gives it up": true, "the one that takes it": false} {
		t.Run(name, func(t *testing.T) {
			w := harness.NewWorld(t, "3000Mi", nil)
			from := w.Namespace
			to := harness.Queue(t, from+"-to", "", "100Mi")
			moves := harness.Queue(t, from+"-moves", from, "3000Mi")
			r := newReplicas(t, 3)
			led(t, moves, from)
			led(t, to, to.Name)
			r.settled([]string{from, to.Name})
			of := r.leads()
			if r.by(of[from]) == r.by(of[to.Name]) {
				t.Fatalf("one replica leads both trees: %v", of)
			}
			in := func(app *v1alpha1.SparkApplication) { app.Spec.Queue.Name = moves.Name }
			runs := w.Apply("runs", in)
			w.Run(runs)
			driver := w.Driver(w.Apply("starts", in)) // borrows from the root
			waits := w.Apply("waits", in)
			harness.Eventually(t, waits, "waiting", func(a *v1alpha1.SparkApplication) bool { return a.Status.Queue == moves.Name })

			victim := r.by(of[to.Name])
			if gives {
				victim = r.by(of[from])
			}
			harness.Change(t, moves, func(q *v1alpha1.SparkQueue) { q.Spec.Parent = to.Name })
			if !gives {
				harness.Eventually(t, moves, "given up, or taken a moment later", func(q *v1alpha1.SparkQueue) bool { return q.Status.Tree != from })
			}
			r.kill(victim)
			led(t, moves, to.Name)
			harness.Eventually(t, moves, "charged in the new tree", func(q *v1alpha1.SparkQueue) bool { return q.Status.Admitted == 2 && q.Status.Pending == 1 })
			harness.Eventually(t, w.Queue, "free of it", func(q *v1alpha1.SparkQueue) bool { return q.Status.Admitted == 0 })
			w.Kubelet.Finish(t.Context(), w.Driver(runs), 0, "Completed")
			w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
			w.Reach(runs, v1alpha1.SucceededReason)
			w.Succeed(waits)
			for _, app := range []*v1alpha1.SparkApplication{runs, waits} {
				if created := w.Kubelet.Created(app.UID); len(created) != 1 {
					t.Errorf("%s had the drivers %v", app.Name, created)
				}
			}
		})
	}
}
