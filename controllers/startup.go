// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/queueing"
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
	operator *operator
	// optionalWatches are the watches of kinds of other batch schedulers.
	optionalWatches []*optionalkind.Watch
	// prelisted holds applications that are reconciled before the cache has synced.
	prelisted *application.Prelisted
	log       logr.Logger
	done      chan struct{}
}

// deciding tells what holding the lease does not: the holder decides nothing until it has restored the state of the
// previous leader, which may fail.
var deciding = prometheus.NewGauge(prometheus.GaugeOpts{
	Name: "sparkgate_deciding", Help: "1 while this process decides on applications and pods; else 0.",
})

func init() { metrics.Registry.MustRegister(deciding) }

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
		case <-s.operator.o.Clock.After(pause.Step()):
		}
	}
}

func (s *leaderStartup) try(ctx context.Context) error {
	op := s.operator
	acquired, err := op.embedded.Acquire(ctx)
	if err != nil {
		return err
	}
	s.log.Info("Took over the ledgers; earlier leaders can no longer grant")
	found := restoredState{alive: map[queueing.Key]bool{}, prelisted: s.prelisted}
	if err := s.listApplications(ctx, &found); err != nil {
		return err
	}
	s.log.Info("Listed the applications", "applications", len(found.alive), "unfinished", len(found.unfinished))
	if err := op.watcher.Seed(ctx); err != nil {
		return err
	}
	store := op.watcher.Store()
	s.log.Info("Listed the Spark pods", "pods", store.Len())
	for _, w := range s.optionalWatches {
		if err := w.WaitUntilKnown(ctx); err != nil {
			return err
		}
	}
	s.log.Info("Looked for the batch schedulers")
	if err := errors.Join(s.readInFlight(ctx, &found, acquired.InFlight()), found.findOwners(ctx, op.mgr.GetAPIReader(), op.o.Scope.Namespaces, store)); err != nil {
		return err
	}
	found.addOrphans(acquired.Recorded, op)
	pods, err := op.asking.pods.Seed(ctx)
	if err != nil {
		return err
	}
	s.log.Info("Listed the unmanaged pods", "pods", len(pods))
	found.addPods(pods)
	op.embedded.Open(acquired, found.held, found.waiting, func(key queueing.Key) bool { return found.alive[key] })
	for _, name := range found.unfinished {
		op.asking.applications.Wake(name)
	}
	s.log.Info("Restored the queues; applications and pods are decided on from now on", "held", len(found.held), "waiting", len(found.waiting))
	deciding.Set(1)
	close(s.done)
	return nil
}

// listApplications lists the unfinished applications from the API server.
func (s *leaderStartup) listApplications(ctx context.Context, found *restoredState) error {
	apps, err := newApplicationList(s.operator.mgr, s.operator.o.Scope.Namespaces)
	if err != nil {
		return err
	}
	memory := s.operator.applications.Memory()
	version, err := apps.unfinished(ctx, func(app *v1alpha1.SparkApplication) {
		memory.Observed(app)
		found.add(app)
	})
	if err != nil {
		return fmt.Errorf("list applications: %w", err)
	}
	memory.OthersEnded(version)
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
		err := s.operator.mgr.GetAPIReader().Get(ctx, types.NamespacedName{Namespace: key.Namespace, Name: key.Name}, app)
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("read application %s/%s: %w", key.Namespace, key.Name, err)
		}
		if err == nil {
			s.operator.applications.Memory().Observed(app)
			found.alive[podsets.KeyOf(app)] = true
			found.decideOn(app)
		}
	}
	return nil
}
