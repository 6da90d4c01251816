// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"context"
	"flag"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

const (
	// fits is the number of applications that a tree has quota for, line the number that wait or run at any time.
	fits, line = 3, 8
	// each is the memory of an application's three pods, in MiB.
	each = 3 * 896
)

// tree is a world whose queue is a tree of its own. Applications follow each other there until the test ends them.
type tree struct {
	*harness.World
	t    *testing.T
	apps []*v1alpha1.SparkApplication
	// leave lets one driver end for each value, and all of them once it is closed.
	leave chan struct{}
}

func newTree(t *testing.T) *tree {
	t.Helper()
	w := &tree{t: t, leave: make(chan struct{})}
	w.World = harness.NewWorld(t, fmt.Sprintf("%dMi", fits*each+100), &harness.Kubelet{Run: w.run})
	w.History.MemoryLimit = (fits*each + 100) << 20
	for range line {
		w.next()
	}
	return w
}

// newTrees creates that many trees, and returns them with the names of their roots.
func newTrees(t *testing.T, count int) (trees []*tree, roots []string) {
	t.Helper()
	for range count {
		w := newTree(t)
		trees, roots = append(trees, w), append(roots, w.Queue.Name)
	}
	return trees, roots
}

// run plays the life of a driver.
func (w *tree) run(ctx context.Context, k *harness.Kubelet, driver *corev1.Pod) {
	k.RunUntil(ctx, driver, w.leave)
}

func (w *tree) next() { w.apps = append(w.apps, w.Apply(fmt.Sprintf("app-%d", len(w.apps)))) }

// turn lets a driver end, if one runs, adds another application to the line, and checks that the grants fit.
func (w *tree) turn() {
	w.t.Helper()
	select {
	case w.leave <- struct{}{}:
		w.next()
	default:
	}
	w.fits()
}

// fits checks that the grants in the status of applications, and those on their way there, together fit into the quota.
func (w *tree) fits() {
	w.t.Helper()
	queue := w.Queue.DeepCopy()
	if err := env.Client().Get(w.t.Context(), client.ObjectKeyFromObject(queue), queue); err != nil {
		w.t.Fatal(err)
	}
	held := w.granted() // read later than the ledger: what was in flight is in a status by now, or is still charged
	n, has := 0, map[string]bool{}
	for uid, app := range held {
		has[uid] = true
		if app.Status.Grant != nil {
			n++
		}
	}
	if queue.Status.Ledger != nil {
		entries, err := queue.Status.Ledger.Decode()
		if err != nil {
			w.t.Fatal(err)
		}
		for _, e := range entries.InFlight {
			if app := held[e.UID]; has[e.UID] && app.Status.Grant == nil && app.Status.Times.Finished == nil {
				n++
			}
		}
	}
	if n > fits {
		w.t.Errorf("tree %s: %d grants, %d fit", w.Queue.Name, n, fits)
	}
}

// granted returns the applications by their uid.
func (w *tree) granted() map[string]*v1alpha1.SparkApplication {
	w.t.Helper()
	list := &v1alpha1.SparkApplicationList{}
	if err := env.Client().List(w.t.Context(), list, client.InNamespace(w.Namespace)); err != nil {
		w.t.Fatal(err)
	}
	all := map[string]*v1alpha1.SparkApplication{}
	for i := range list.Items {
		all[string(list.Items[i].UID)] = &list.Items[i]
	}
	return all
}

// starts counts the applications that were granted quota so far.
func (w *tree) starts() int {
	n := 0
	for _, app := range w.granted() {
		if app.Status.Times.Admitted != nil {
			n++
		}
	}
	return n
}

// epoch returns the epoch of the tree's ledger, which each leader raises.
func (w *tree) epoch() int64 {
	w.t.Helper()
	queue := w.Queue.DeepCopy()
	if err := env.Client().Get(w.t.Context(), client.ObjectKeyFromObject(queue), queue); err != nil {
		w.t.Fatal(err)
	}
	if queue.Status.Ledger == nil {
		return 0
	}
	return queue.Status.Ledger.Epoch
}

// drain lets everything come to its end, and checks that every application has run once.
func (w *tree) drain() {
	w.t.Helper()
	close(w.leave)
	for _, app := range w.apps {
		w.Reach(app, v1alpha1.SucceededReason)
		if app.Status.Attempt != 1 || app.Status.Run != 1 {
			w.t.Errorf("%s has run more than once: %s", app.Name, harness.Show(app))
		}
	}
	w.Unused()
}

var exhaustive = flag.Bool("exhaustive", false, "kill every replica")

// TestReplicasAreKilled kills one of three replicas under load, with -exhaustive each of them. The trees that it led get another leader; the
// others do not notice.
func TestReplicasAreKilled(t *testing.T) {
	trees, names := newTrees(t, 6)
	r := newReplicas(t, 3)
	r.settled(names)
	turnUntil(t, trees, "all trees grant", func() bool {
		for _, w := range trees {
			if w.starts() <= fits {
				return false
			}
		}
		return true
	})
	kills := 1
	if *exhaustive {
		kills = len(r.running)
	}
	for range kills {
		killOldest(t, r, trees)
		r.start()
		r.settled(names)
	}
	for _, w := range trees {
		w.drain()
	}
}

// killOldest kills the replica that has run longest, and waits until others lead its trees.
func killOldest(t *testing.T, r *replicas, trees []*tree) {
	t.Helper()
	victim, of := r.running[0], r.leads()
	var moved, others []*tree
	epochs, started := map[*tree]int64{}, map[*tree]int{}
	for _, w := range trees {
		if epochs[w], started[w] = w.epoch(), w.starts(); r.by(of[w.Queue.Name]) == victim {
			moved = append(moved, w)
		} else {
			others = append(others, w)
		}
	}
	r.kill(victim)
	killed, took, granted := time.Now(), map[string]time.Duration{}, false
	turnUntil(t, trees, "the trees have another leader, which grants", func() bool {
		for _, w := range others {
			granted = granted || len(took) == 0 && w.starts() > started[w]
		}
		done := true
		for _, w := range moved {
			if took[w.Queue.Name] == 0 && w.epoch() > epochs[w] {
				took[w.Queue.Name] = time.Since(killed)
			}
			done = done && took[w.Queue.Name] > 0 && w.starts() > started[w]
		}
		return done
	})
	if !granted && len(moved) > 0 {
		t.Error("no other tree has granted anything before the first of these had another leader")
	}
	for _, w := range others {
		if w.epoch() != epochs[w] {
			t.Errorf("tree %s has another leader, and its leader was not killed", w.Queue.Name)
		}
	}
	t.Logf("killed the leader of %d trees, which others led after %v", len(moved), took)
}

// turnUntil keeps the trees busy until done returns true.
func turnUntil(t *testing.T, trees []*tree, what string, done func() bool) {
	t.Helper()
	env.UntilWithin(t, 2*env.Patience, what, func() (bool, any) {
		for _, w := range trees {
			w.turn()
		}
		return done(), ""
	})
}
