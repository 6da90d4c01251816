// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application"
	"github.com/sparkgate/sparkgate/controllers/internal/share"
	"github.com/sparkgate/sparkgate/controllers/internal/waker"
	"github.com/sparkgate/sparkgate/controllers/unmanagedpods"
	"github.com/sparkgate/sparkgate/internal/namespaces"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/status"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
	"github.com/sparkgate/sparkgate/queueing/convert"
	"github.com/sparkgate/sparkgate/queueing/embedded/gate"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
)

// leaderStartup restores the state of a new leader, before any decision:
//
//  1. take over the ledgers: from here on no earlier leader can grant;
//  2. list the applications live: what they hold is restored, their versions are floors for the cache;
//  3. list the Spark pods live, those of applications and those of none;
//  4. wait until it is known which batch schedulers are installed, and what they say;
//  5. restore and open the queue; reconcilers go on, with those first that hold something or wait: the many that have
//     ended can wait.
type leaderStartup struct {
	manager      ctrl.Manager
	watcher      *pods.Watcher
	gate         *gate.Gate
	unmanaged    *unmanagedpods.Reconciler
	expectations *application.Expectations
	// share is what this leader decides on; nil is everything.
	share *share.Share
	// optionalWatches are the watches of kinds of other batch schedulers.
	optionalWatches []*optionalkind.Watch
	waker           *waker.Waker
	// namespaces that this installation watches.
	namespaces namespaces.Set
	clock      clock.Clock
	log        logr.Logger
	done       chan struct{}
}

func newLeaderStartup(mgr ctrl.Manager, watcher *pods.Watcher, r *gate.Gate, c clock.Clock) *leaderStartup {
	return &leaderStartup{manager: mgr, watcher: watcher, gate: r, clock: c,
		log: mgr.GetLogger().WithName("takeover"), done: make(chan struct{})}
}

// wait returns once this process leads and has restored its state.
func (s *leaderStartup) wait(ctx context.Context) error {
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// NeedLeaderElection returns true: only a leader takes over.
func (s *leaderStartup) NeedLeaderElection() bool { return true }

// Start takes over, trying again until it succeeds, then returns.
func (s *leaderStartup) Start(ctx context.Context) error {
	pause := wait.Backoff{Duration: 200 * time.Millisecond, Factor: 2, Cap: 5 * time.Second, Steps: 10}
	for {
		err := s.try(ctx)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		s.log.Error(err, "Could not take over; trying again")
		select {
		case <-ctx.Done():
			return nil
		case <-s.clock.After(pause.Step()):
		}
	}
}

func (s *leaderStartup) try(ctx context.Context) error {
	acquired, err := s.gate.Acquire(ctx)
	if err != nil {
		return err
	}
	s.log.Info("Took over the ledgers; earlier leaders can no longer grant")
	found := restoredState{alive: map[queueing.Key]bool{}}
	if err := s.listApplications(ctx, &found); err != nil {
		return err
	}
	s.log.Info("Listed the applications", "applications", len(found.alive), "unfinished", len(found.unfinished))
	if err := s.watcher.Seed(ctx); err != nil {
		return err
	}
	s.log.Info("Listed the Spark pods", "pods", s.watcher.Store().Len())
	for _, w := range s.optionalWatches {
		if err := w.WaitUntilKnown(ctx); err != nil {
			return err
		}
	}
	s.log.Info("Looked for the batch schedulers")
	if err := found.addOrphans(ctx, s.watcher.Store(), acquired.Recorded, s); err != nil {
		return err
	}
	pods, err := s.unmanaged.Seed(ctx)
	if err != nil {
		return err
	}
	s.log.Info("Listed the unmanaged pods", "pods", len(pods))
	found.addPods(pods)
	s.gate.Open(acquired, found.held, found.waiting, func(key queueing.Key) bool { return found.alive[key] })
	for _, name := range found.unfinished {
		s.waker.Wake(name)
	}
	s.log.Info("Restored the queues; applications and pods are decided on from now on", "held", len(found.held), "waiting", len(found.waiting))
	close(s.done)
	return nil
}

// restoredState is what a new leader finds.
type restoredState struct {
	alive   map[queueing.Key]bool
	held    []gate.Holding
	waiting []queueing.Key
	// unfinished are the applications that are not at rest.
	unfinished []types.NamespacedName
}

// listApplications reads all applications live.
func (s *leaderStartup) listApplications(ctx context.Context, found *restoredState) error {
	apps, err := newApplicationList(s.manager, s.namespaces)
	if err != nil {
		return err
	}
	var failed error
	err = apps.each(ctx, func(app *v1alpha1.SparkApplication) {
		s.expectations.Observed(app)
		owned, err := s.share.Owns(ctx, app)
		failed = errors.Join(failed, err)
		found.add(app, owned)
	})
	if err = errors.Join(err, failed); err != nil {
		return fmt.Errorf("list applications: %w", err)
	}
	return nil
}

// add takes in an application. Of those that another leader decides on it notes only that they exist.
func (s *restoredState) add(app *v1alpha1.SparkApplication, owned bool) {
	key := keyOf(app)
	s.alive[key] = true
	if !owned {
		return
	}
	if app.Status.Times.Finished == nil || !app.DeletionTimestamp.IsZero() {
		s.unfinished = append(s.unfinished, types.NamespacedName{Namespace: app.Namespace, Name: app.Name})
	}
	if g := app.Status.Grant; g != nil {
		if catalog.Of(g.Gate).SparkQueues {
			s.held = append(s.held, gate.Holding{Key: key, Grant: convert.FromAPI(g)})
		}
		return
	}
	stage, known := status.StageOf(app.Status.Conditions)
	if known && (stage == status.Queued || stage == status.Preempted || stage == status.New) && app.DeletionTimestamp.IsZero() && !app.Spec.Suspend {
		s.waiting = append(s.waiting, key)
	}
}

func keyOf(app *v1alpha1.SparkApplication) queueing.Key {
	return queueing.Key{Namespace: app.Namespace, Name: app.Name, UID: string(app.UID)}
}

// addPods adds the pods that belong to no application: those that run hold what they request, the others ask again.
func (s *restoredState) addPods(unmanaged []unmanagedpods.Found) {
	for _, p := range unmanaged {
		s.alive[p.Key] = true
		if p.Grant != nil {
			s.held = append(s.held, gate.Holding{Key: p.Key, Grant: *p.Grant})
		} else {
			s.waiting = append(s.waiting, p.Key)
		}
	}
}

// addOrphans charges the active pods of applications that no longer exist until they are gone: to what the ledgers say
// that their application held, and beyond that, or where they say nothing, as pods that nothing can be attributed to.
// What the labels of the pods say of a queue proves nothing.
func (s *restoredState) addOrphans(ctx context.Context, store *pods.Store, recorded func(queueing.Key) (queueing.Grant, bool), in *leaderStartup) error {
	for _, name := range store.Applications() {
		left := map[queueing.Key][]*pods.Record{}
		for _, r := range store.Of(name) {
			if key := (queueing.Key{Namespace: r.Namespace, Name: r.Application, UID: r.AppUID}); !s.alive[key] && r.Active() {
				left[key] = append(left[key], r)
			}
		}
		for key, records := range left {
			grant, held := recorded(key)
			if held {
				s.held = append(s.held, gate.Holding{Key: key, Grant: grant, Orphan: true})
			} else if in.share != nil {
				if stray, err := in.share.Stray(ctx, key); err != nil {
					return err
				} else if !stray {
					continue // another leader charges it
				}
			}
			for _, r := range pods.ExceedingGrant(records, grant) {
				in.unmanaged.Claim(r)
			}
		}
	}
	return nil
}
