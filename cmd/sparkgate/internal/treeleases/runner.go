// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package treeleases

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkgate/internal/lease"
	"github.com/sparkgate/sparkgate/internal/trees"
)

// Options configure a Runner.
type Options struct {
	// Reader is a cache with the queues and with the leases of the operator's namespace.
	Reader client.Reader
	Leases *lease.Client
	// LeaseDuration is how long the lease of a tree lasts. RetryPeriod is how often other replicas check whether it has
	// expired.
	LeaseDuration, RetryPeriod time.Duration
	// Lead competes for the lease of a tree, calls elected once it has the lease, and leads the tree until ctx ends or
	// the lease is lost. An empty tree stands for everything that is in no tree.
	Lead  func(ctx context.Context, tree string, lock resourcelock.Interface, elected func()) error
	Clock clock.Clock
	Log   logr.Logger
}

// Runner leads its share of the trees. Create it with New, and start it once.
type Runner struct {
	o        Options
	observer *observer
	replica  *replica
	// mine are the trees that this process leads or competes for. Only the loop in Start uses it.
	mine map[string]*leadership
	all  sync.WaitGroup
}

// leadership is the goroutine that leads one tree or competes for it.
type leadership struct {
	stop  context.CancelFunc
	ended chan struct{}
	leads atomic.Bool
	// late is the time until which the tree is kept although it is beyond the share.
	late time.Time
}

const (
	// checksPerRetry is how many times per retry period the leases are checked, in the cache.
	checksPerRetry = 4
	// settlePeriods is the number of retry periods before a new replica takes its first lease. Replicas that start at
	// the same time see each other's leases by then.
	settlePeriods = 2
	// lateLeases is the number of lease durations for which a replica keeps a tree beyond its share that no other
	// replica took.
	lateLeases = 10
)

// New returns a runner that leads nothing yet.
func New(o Options) *Runner {
	// The lease of a replica has to expire before those of its trees, which may have been written an interval earlier,
	// so that the others know their share by then.
	alive := max(o.LeaseDuration-o.Leases.Interval-o.RetryPeriod, time.Second)
	return &Runner{o: o, observer: newObserver(), replica: &replica{Client: o.Leases, lasts: alive}, mine: map[string]*leadership{}}
}

// NeedLeaderElection returns false, because each tree has its own lease.
func (*Runner) NeedLeaderElection() bool { return false }

// Start leads trees until ctx ends, and returns when all of them are released. It implements manager.Runnable.
func (r *Runner) Start(ctx context.Context) error {
	defer r.end(ctx)
	r.o.Log.Info("Sharing the trees of queues with other replicas", "replica", r.o.Leases.Holder)
	began, next := r.o.Clock.Now(), time.Time{}
	for {
		now := r.o.Clock.Now()
		if !now.Before(next) {
			next = now.Add(r.renew(ctx, now))
		}
		if now.Sub(began) >= settlePeriods*r.o.RetryPeriod {
			if err := r.check(ctx, now); err != nil {
				r.o.Log.Error(err, "Failed to check the leases of trees; will retry")
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-r.o.Clock.After(r.o.RetryPeriod / checksPerRetry):
		}
	}
}

// renew renews the lease of the replica, and returns the pause before the next renewal.
func (r *Runner) renew(ctx context.Context, now time.Time) time.Duration {
	if err := r.replica.renew(ctx, now); err != nil {
		r.o.Log.Error(err, "Failed to renew the lease of this replica; will retry")
		return r.o.RetryPeriod
	}
	return r.o.Leases.Interval
}

// end waits until all trees are released, and then deletes the lease of the replica.
func (r *Runner) end(ctx context.Context) {
	r.all.Wait()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.o.RetryPeriod)
	defer cancel()
	if err := r.replica.remove(last, r.replica.name()); err != nil {
		r.o.Log.Error(err, "Failed to delete the lease of this replica")
	}
}

// check plans, and starts and stops leading trees accordingly.
func (r *Runner) check(ctx context.Context, now time.Time) error {
	leases, queues := &coordinationv1.LeaseList{}, &v1alpha1.SparkQueueList{}
	if err := r.o.Reader.List(ctx, leases, client.InNamespace(r.o.Leases.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list leases: %w", err)
	}
	if err := r.o.Reader.List(ctx, queues, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list queues: %w", err)
	}
	r.observer.see(leases.Items, now)
	v := r.observer.view(r.o.Leases.Holder, append([]string{rest}, trees.New(queues.Items).Trees()...), now)
	v.takeOverAfter, v.mine, v.late = r.o.LeaseDuration, map[string]bool{}, map[string]bool{}
	for tree, l := range r.mine {
		if l.hasEnded() {
			delete(r.mine, tree)
			continue
		}
		v.mine[tree], v.late[tree] = l.leads.Load(), now.Before(l.late)
	}
	p := decide(v)
	for _, tree := range p.stop {
		r.o.Log.Info("Releasing the lease of a tree, or no longer competing for it", "tree", tree, "trees", len(v.trees), "replicas", v.replicas)
		r.mine[tree].stop()
	}
	for _, tree := range p.start {
		late := time.Time{}
		if p.late[tree] {
			late = now.Add(lateLeases * r.o.LeaseDuration)
		}
		r.start(ctx, tree, late)
	}
	return r.replica.remove(ctx, r.observer.gone(v.trees, now, lateLeases*r.o.LeaseDuration)...)
}

// start competes for the lease of a tree in the background.
func (r *Runner) start(ctx context.Context, tree string, late time.Time) {
	log := r.o.Log.WithValues("tree", tree)
	led, stop := context.WithCancel(ctx)
	l := &leadership{stop: stop, ended: make(chan struct{}), late: late}
	r.mine[tree] = l
	name := lease.OfTree(tree)
	r.all.Go(func() {
		defer close(l.ended)
		defer stop()
		lock, err := r.o.Leases.Lock(name, func(record resourcelock.LeaderElectionRecord) bool {
			return r.observer.expired(name, record, r.o.Clock.Now())
		})
		if err == nil {
			err = r.o.Lead(led, tree, lock, func() {
				l.leads.Store(true)
				log.Info("Leading a tree")
			})
		}
		log.Info("No longer leading a tree", "led", l.leads.Load(), "reason", fmt.Sprint(err))
	})
}

func (l *leadership) hasEnded() bool {
	select {
	case <-l.ended:
		return true
	default:
		return false
	}
}
