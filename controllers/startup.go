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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
)

// leaderStartup restores the state of a new leader before it makes any decision:
//
//  1. Take over the ledgers. From then on no earlier leader can grant anything.
//  2. List the unfinished applications from the API server. What they hold is restored, and the cache must not go back
//     behind their versions.
//  3. List the Spark pods from the API server, both of applications and unmanaged ones.
//  4. Wait until it is known which batch schedulers are installed, and which objects they have.
//  5. Restore and open the queue. The reconcilers start with the applications that hold something or wait; the many
//     that have ended follow later.
type leaderStartup struct {
	leader *leader
	// optionalWatches are the watches of kinds of other batch schedulers.
	optionalWatches []*optionalkind.Watch
	// prelisted holds applications that are reconciled before the cache has synced; nil if it has synced already.
	prelisted *application.Prelisted
	log       logr.Logger
	done      chan struct{}
}

// newStartup returns a leaderStartup for the leader.
func (l *leader) newStartup(watches []*optionalkind.Watch) (*leaderStartup, error) {
	s := &leaderStartup{leader: l, optionalWatches: watches, log: l.mgr.GetLogger().WithName("takeover"), done: make(chan struct{})}
	if l.share != nil {
		return s, nil // the cache has synced already
	}
	var err error
	s.prelisted, err = newPrelisted(l.mgr)
	return s, err
}

// wait blocks until this process leads and has restored its state, or ctx is done.
func (s *leaderStartup) wait(ctx context.Context) error {
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// NeedLeaderElection returns true, because only a leader takes over.
func (s *leaderStartup) NeedLeaderElection() bool { return true }

// Start takes over, retrying until it succeeds, and then returns.
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
		case <-s.leader.o.Clock.After(pause.Step()):
		}
	}
}

func (s *leaderStartup) try(ctx context.Context) error {
	l := s.leader
	acquired, err := l.embedded.Acquire(ctx)
	if err != nil {
		return err
	}
	s.log.Info("Took over the ledgers; earlier leaders can no longer grant")
	found := restoredState{alive: map[queueing.Key]bool{}, prelisted: s.prelisted}
	if err := s.listApplications(ctx, &found); err != nil {
		return err
	}
	s.log.Info("Listed the applications", "applications", len(found.alive), "unfinished", len(found.unfinished))
	if err := l.watcher.Seed(ctx); err != nil {
		return err
	}
	store := l.watcher.Store()
	s.log.Info("Listed the Spark pods", "pods", store.Len())
	for _, w := range s.optionalWatches {
		if err := w.WaitUntilKnown(ctx); err != nil {
			return err
		}
	}
	s.log.Info("Looked for the batch schedulers")
	if err := errors.Join(s.readInFlight(ctx, &found, acquired.InFlight()), found.findOwners(ctx, l.mgr.GetAPIReader(), l.o.Scope.Namespaces, store)); err != nil {
		return err
	}
	if err := found.addOrphans(ctx, acquired.Recorded, l); err != nil {
		return err
	}
	pods, err := l.asking.pods.Seed(ctx)
	if err != nil {
		return err
	}
	s.log.Info("Listed the unmanaged pods", "pods", len(pods))
	found.addPods(pods)
	l.embedded.Open(acquired, found.held, found.waiting, func(key queueing.Key) bool { return found.alive[key] })
	for _, name := range found.unfinished {
		l.asking.applications.Wake(name)
	}
	s.log.Info("Restored the queues; applications and pods are decided on from now on", "held", len(found.held), "waiting", len(found.waiting))
	close(s.done)
	return nil
}

// listApplications lists the unfinished applications from the API server. If several leaders share the queues, it lists
// all applications, because an application that is gone must be distinguished from one on which another leader decides.
func (s *leaderStartup) listApplications(ctx context.Context, found *restoredState) error {
	apps, err := newApplicationList(s.leader.mgr, s.leader.o.Scope.Namespaces)
	if err != nil {
		return err
	}
	expectations := s.leader.applications.Expectations()
	var failed error
	see := func(app *v1alpha1.SparkApplication) {
		expectations.Observed(app)
		owned, err := s.leader.owns(ctx, app)
		failed = errors.Join(failed, err)
		found.add(app, owned)
	}
	if s.leader.share != nil {
		err = apps.each(ctx, see)
	} else {
		var version string
		version, err = apps.unfinished(ctx, see)
		expectations.OthersEnded(version)
	}
	if err = errors.Join(err, failed); err != nil {
		return fmt.Errorf("list applications: %w", err)
	}
	return nil
}

// readInFlight reads those applications that have ended although a grant of theirs is still in flight. If the grant is
// for an attempt that has ended, a pass over the application releases it.
func (s *leaderStartup) readInFlight(ctx context.Context, found *restoredState, keys []queueing.Key) error {
	for _, key := range keys {
		if found.alive[key] {
			continue
		}
		app := &v1alpha1.SparkApplication{}
		err := s.leader.mgr.GetAPIReader().Get(ctx, types.NamespacedName{Namespace: key.Namespace, Name: key.Name}, app)
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("read application %s/%s: %w", key.Namespace, key.Name, err)
		}
		if err == nil {
			s.leader.applications.Expectations().Observed(app)
			found.alive[convert.KeyOf(app)] = true
			found.decideOn(app)
		}
	}
	return nil
}
