// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application"
	"github.com/sparkgate/sparkgate/controllers/internal/pods"
	"github.com/sparkgate/sparkgate/controllers/internal/status"
	"github.com/sparkgate/sparkgate/controllers/unmanagedpods"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
	"github.com/sparkgate/sparkgate/queueing/convert"
	"github.com/sparkgate/sparkgate/queueing/embedded/gate"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
)

// takeover brings a new leader into office, before any decision:
//
//  1. take over the ledgers: from here on no earlier leader can grant;
//  2. list the applications live: what they hold is restored, their versions are floors for the cache;
//  3. list the Spark pods live, those of applications and those of nobody;
//  4. wait until it is known which batch schedulers are installed, and what they say;
//  5. restore and open the queue; reconcilers go on, with those first that hold something or wait: the many that have ended can wait.
type takeover struct {
	manager   ctrl.Manager
	watcher   *pods.Watcher
	runner    *gate.Gate
	unmanaged *unmanagedpods.Reconciler
	memory    *application.Memory
	// foreign are the watches of kinds of other batch schedulers.
	foreign []*optionalkind.Watch
	wake    func(types.NamespacedName)
	clock   clock.Clock
	log     logr.Logger
	done    chan struct{}
}

func newTakeover(mgr ctrl.Manager, watcher *pods.Watcher, r *gate.Gate, c clock.Clock) *takeover {
	return &takeover{manager: mgr, watcher: watcher, runner: r, clock: c,
		log: mgr.GetLogger().WithName("takeover"), done: make(chan struct{})}
}

// wait returns once this process is in office.
func (t *takeover) wait(ctx context.Context) error {
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// NeedLeaderElection says that only a leader takes over.
func (t *takeover) NeedLeaderElection() bool { return true }

// Start takes over, trying again until it succeeds, then returns.
func (t *takeover) Start(ctx context.Context) error {
	pause := wait.Backoff{Duration: 200 * time.Millisecond, Factor: 2, Cap: 5 * time.Second, Steps: 10}
	for {
		err := t.try(ctx)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		t.log.Error(err, "Could not take over; trying again")
		select {
		case <-ctx.Done():
			return nil
		case <-t.clock.After(pause.Step()):
		}
	}
}

func (t *takeover) try(ctx context.Context) error {
	acquired, err := t.runner.Acquire(ctx)
	if err != nil {
		return err
	}
	t.log.Info("Took over the ledgers; earlier leaders can no longer grant")
	found := inventory{alive: map[queueing.Key]bool{}}
	if err := t.listApplications(ctx, &found); err != nil {
		return err
	}
	t.log.Info("Listed the applications", "applications", len(found.alive), "unfinished", len(found.busy))
	if err := t.watcher.Seed(ctx); err != nil {
		return err
	}
	t.log.Info("Listed the Spark pods", "pods", t.watcher.Store().Len())
	for _, w := range t.foreign {
		if err := w.WaitUntilKnown(ctx); err != nil {
			return err
		}
	}
	t.log.Info("Looked for the batch schedulers")
	found.orphans(t.watcher.Store(), acquired.Recorded, t.unmanaged.Claim)
	pods, err := t.unmanaged.Seed(ctx)
	if err != nil {
		return err
	}
	t.log.Info("Listed the unmanaged pods", "pods", len(pods))
	found.addPods(pods)
	t.runner.Open(acquired, found.held, found.expected, func(key queueing.Key) bool { return found.alive[key] })
	for _, name := range found.busy {
		t.wake(name)
	}
	t.log.Info("Restored the queues; applications and pods are decided on from now on", "held", len(found.held), "waiting", len(found.expected))
	close(t.done)
	return nil
}

// inventory is what a new leader finds.
type inventory struct {
	alive    map[queueing.Key]bool
	held     []gate.Holding
	expected []queueing.Key
	// busy are the applications that are not at rest.
	busy []types.NamespacedName
}

// listApplications reads all applications live.
func (t *takeover) listApplications(ctx context.Context, found *inventory) error {
	apps, err := newApplist(t.manager)
	if err != nil {
		return err
	}
	err = apps.each(ctx, func(app *v1alpha1.SparkApplication) {
		t.memory.Saw(app)
		found.add(app)
	})
	if err != nil {
		return fmt.Errorf("list applications: %w", err)
	}
	return nil
}

func (f *inventory) add(app *v1alpha1.SparkApplication) {
	key := queueing.Key{Namespace: app.Namespace, Name: app.Name, UID: string(app.UID)}
	f.alive[key] = true
	if app.Status.Times.Finished == nil || !app.DeletionTimestamp.IsZero() {
		f.busy = append(f.busy, types.NamespacedName{Namespace: app.Namespace, Name: app.Name})
	}
	if g := app.Status.Grant; g != nil {
		if catalog.Of(g.Gate).SparkQueues {
			f.held = append(f.held, gate.Holding{Key: key, Grant: convert.FromAPI(g)})
		}
		return
	}
	stage, known := status.StageOf(app.Status.Conditions)
	if known && (stage == status.Queued || stage == status.Preempted || stage == status.New) && app.DeletionTimestamp.IsZero() && !app.Spec.Suspend {
		f.expected = append(f.expected, key)
	}
}

// addPods adds the pods that belong to no application: those that run hold what they request, the others ask again.
func (f *inventory) addPods(found []unmanagedpods.Found) {
	for _, p := range found {
		f.alive[p.Key] = true
		if p.Grant != nil {
			f.held = append(f.held, gate.Holding{Key: p.Key, Grant: *p.Grant})
		} else {
			f.expected = append(f.expected, p.Key)
		}
	}
}

// orphans charges the active pods of applications that do not exist any more until they are gone: to what the ledgers say that their
// application held, and beyond that, or where they say nothing, as pods that nothing can be attributed to. What the labels of the pods
// say of a queue proves nothing.
func (f *inventory) orphans(store *pods.Store, recorded func(queueing.Key) (queueing.Grant, bool), claim func(*pods.Record)) {
	for _, name := range store.Applications() {
		left := map[queueing.Key][]*pods.Record{}
		for _, r := range store.Of(name) {
			if key := (queueing.Key{Namespace: r.Namespace, Name: r.Application, UID: r.AppUID}); !f.alive[key] && r.Active() {
				left[key] = append(left[key], r)
			}
		}
		for key, records := range left {
			grant, held := recorded(key)
			if held {
				f.held = append(f.held, gate.Holding{Key: key, Grant: grant, Orphan: true})
			}
			for _, r := range pods.Beyond(records, grant) {
				claim(r)
			}
		}
	}
}
