// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application"
	"github.com/sparkgate/sparkgate/controllers/internal/cachetransform"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
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
//  2. list the applications live that have not ended: what they hold is restored, their versions are floors for the cache;
//  3. list the Spark pods live, those of applications and those of none;
//  4. wait until it is known which batch schedulers are installed, and what they say;
//  5. restore and open the queue; the reconcilers begin, with the applications that hold something or wait: the many that
//     have ended come later.
type leaderStartup struct {
	manager      ctrl.Manager
	watcher      *pods.Watcher
	gate         *gate.Gate
	unmanaged    *unmanagedpods.Reconciler
	expectations *application.Expectations
	// share is what this leader decides on; nil is everything.
	share *share.Share
	// owns reports whether this leader decides on an application.
	owns func(context.Context, *v1alpha1.SparkApplication) (bool, error)
	// optionalWatches are the watches of kinds of other batch schedulers.
	optionalWatches []*optionalkind.Watch
	waker           *waker.Waker
	// prelisted are reconciled before the cache has synced; nil where it has synced before.
	prelisted *application.Prelisted
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
	found := restoredState{alive: map[queueing.Key]bool{}, prelisted: s.prelisted}
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
	if err := errors.Join(s.readInFlight(ctx, &found, acquired.InFlight()), found.findOwners(ctx, s.manager.GetAPIReader(), s.namespaces, s.watcher.Store())); err != nil {
		return err
	}
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
	// prelisted takes the applications in; nil takes none.
	prelisted *application.Prelisted
}

// listApplications lists the applications live that have not ended; all of them where several leaders share the queues,
// because an application that is gone has to be distinguished from one that another leader decides on.
func (s *leaderStartup) listApplications(ctx context.Context, found *restoredState) error {
	apps, err := newApplicationList(s.manager, s.namespaces)
	if err != nil {
		return err
	}
	var failed error
	see := func(app *v1alpha1.SparkApplication) {
		s.expectations.Observed(app)
		owned, err := s.owns(ctx, app)
		failed = errors.Join(failed, err)
		found.add(app, owned)
	}
	if s.share != nil {
		err = apps.each(ctx, see)
	} else {
		var version string
		version, err = apps.unfinished(ctx, see)
		s.expectations.OthersEnded(version)
	}
	if err = errors.Join(err, failed); err != nil {
		return fmt.Errorf("list applications: %w", err)
	}
	return nil
}

// readInFlight reads the applications that have ended although a grant of theirs is still in flight. A pass gives it
// back, if it is that of an attempt which has ended.
func (s *leaderStartup) readInFlight(ctx context.Context, found *restoredState, keys []queueing.Key) error {
	for _, key := range keys {
		if found.alive[key] {
			continue
		}
		app := &v1alpha1.SparkApplication{}
		err := s.manager.GetAPIReader().Get(ctx, types.NamespacedName{Namespace: key.Namespace, Name: key.Name}, app)
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("read application %s/%s: %w", key.Namespace, key.Name, err)
		}
		if err == nil {
			s.expectations.Observed(app)
			found.alive[convert.KeyOf(app)] = true
			found.decideOn(app)
		}
	}
	return nil
}

// fewOwners is up to how many applications are read one by one instead of in a list.
const fewOwners = 20

// findOwners looks for the applications that active pods name in their labels and that were not listed: they have ended, or
// are gone. A few are read one by one; many pods with invented labels cost no more than one list of metadata.
func (s *restoredState) findOwners(ctx context.Context, live client.Reader, in namespaces.Set, store *pods.Store) error {
	unknown := map[types.NamespacedName]bool{}
	for _, name := range store.Applications() {
		for _, r := range store.Of(name) {
			if r.Active() && !s.alive[queueing.Key{Namespace: r.Namespace, Name: r.Application, UID: r.AppUID}] {
				unknown[name] = true
			}
		}
	}
	kind := v1alpha1.GroupVersion.WithKind("SparkApplication")
	see := func(app *metav1.PartialObjectMetadata) error {
		s.alive[convert.KeyOf(app)] = true
		return nil
	}
	if len(unknown) > fewOwners {
		for _, namespace := range in.Scopes() {
			if err := livemeta.Each(ctx, live, kind, see, client.InNamespace(namespace)); err != nil {
				return err
			}
		}
		return nil
	}
	for name := range unknown {
		app := livemeta.Key{Kind: kind, Name: name.Name}.Metadata(name.Namespace)
		if err := live.Get(ctx, name, app); err == nil {
			_ = see(app)
		} else if !apierrors.IsNotFound(err) {
			return fmt.Errorf("read application %s: %w", name, err)
		}
	}
	return nil
}

// add records an application; of one that another leader decides on only that it exists.
func (s *restoredState) add(app *v1alpha1.SparkApplication, owned bool) {
	key := convert.KeyOf(app)
	s.alive[key] = true
	if !owned {
		return
	}
	if app.Status.Times.Finished == nil || !app.DeletionTimestamp.IsZero() {
		s.decideOn(app)
	}
	if g := app.Status.Grant; g != nil {
		if catalog.Of(g.Gate).SparkQueues {
			s.held = append(s.held, holdingOf(app))
		}
		return
	}
	stage, known := status.StageOf(app.Status.Conditions)
	if known && (stage == status.Queued || stage == status.Preempted || stage == status.New) && app.DeletionTimestamp.IsZero() && !app.Spec.Suspend {
		s.waiting = append(s.waiting, key)
	}
}

// holdingOf returns what an application holds.
func holdingOf(app *v1alpha1.SparkApplication) gate.Holding {
	return gate.Holding{Key: convert.KeyOf(app), Grant: convert.FromAPI(app.Status.Grant), Since: ptr.Deref(app.Status.Times.Admitted, metav1.Time{}).Time}
}

// decideOn has an application reconciled first, and before the cache has it.
func (s *restoredState) decideOn(app *v1alpha1.SparkApplication) {
	s.unfinished = append(s.unfinished, types.NamespacedName{Namespace: app.Namespace, Name: app.Name})
	if s.prelisted == nil {
		return
	}
	if kept, err := cachetransform.Object(app); err == nil {
		s.prelisted.Add(kept.(*v1alpha1.SparkApplication))
	}
}

// addPods adds the pods that belong to no application: those that run hold what they request, the others ask again.
func (s *restoredState) addPods(unmanaged []unmanagedpods.SeededPod) {
	for _, p := range unmanaged {
		s.alive[p.Key] = true
		if p.Grant != nil {
			s.held = append(s.held, gate.Holding{Key: p.Key, Grant: *p.Grant, Since: p.Since})
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
				in.unmanaged.ChargeUnattributed(r)
			}
		}
	}
	return nil
}
