// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application"
	"github.com/sparkgate/sparkgate/controllers/companions"
	"github.com/sparkgate/sparkgate/controllers/internal/accountrights"
	"github.com/sparkgate/sparkgate/controllers/internal/operators"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/controllers/internal/share"
	"github.com/sparkgate/sparkgate/controllers/internal/waker"
	"github.com/sparkgate/sparkgate/controllers/queue"
	"github.com/sparkgate/sparkgate/controllers/unmanagedpods"
	"github.com/sparkgate/sparkgate/queueing/catalog"
	"github.com/sparkgate/sparkgate/queueing/embedded/gate"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
)

// AddLeader adds the leader of one tree of queues to a manager, which elects it and stops it. An empty tree is the rest:
// what is in no tree, under other gates, or in no queue. Objects are read through the cache of the manager. Call ended
// once the manager has stopped, or cannot start.
func (p *Process) AddLeader(mgr ctrl.Manager, tree string) (ended func(), err error) {
	return p.addLeader(mgr, &share.Share{
		Tree: tree, Client: mgr.GetClient(), DefaultGate: p.o.DefaultGate, Log: mgr.GetLogger().WithName("share"),
	})
}

// addLeader adds a leader with a share, or one that decides on everything: first its queue and the gates, then the
// controllers that ask them, last what runs when it is elected.
func (p *Process) addLeader(mgr ctrl.Manager, of *share.Share) (ended func(), err error) {
	l := &leader{Process: p, share: of, asking: &askers{applications: waker.New()}}
	embedded := l.newQueue(mgr)
	l.queues, l.claims = explainQueues{embedded}, p.claimsOf(mgr, embedded)
	gates, watches, err := newGates(mgr, embedded, l.asking, l)
	if err != nil {
		return func() {}, err
	}
	if l.startup, err = l.newStartup(mgr, embedded, watches); err != nil {
		return func() {}, err
	}
	accompanying := l.newCompanions(mgr)
	applications := application.New(l.applicationOptions(mgr, gates, accompanying))
	l.startup.expectations, l.startup.waker = applications.Expectations(), l.asking.applications
	queues, schedules := l.newQueues(mgr, embedded), newSchedules(mgr, l.startup, p)
	if of != nil {
		l.completeShare(embedded, applications, accompanying, queues)
	}
	ended = func() {
		p.remove(l)
		applications.Ended()
		queues.Ended()
		schedules.Ended()
	}
	err = errors.Join(l.addPods(mgr, gates, embedded), applications.SetupWithManager(mgr, l.asking.applications, p.o.Concurrent),
		accompanying.SetupWithManager(mgr, p.o.Concurrent), queues.SetupWithManager(mgr))
	if of.Rest() {
		err = errors.Join(err, schedules.SetupWithManager(mgr, p.o.Concurrent))
	}
	if err != nil {
		return ended, fmt.Errorf("set up controllers: %w", err)
	}
	p.add(l)
	return ended, addAll(mgr, append(runnablesOf(watches), l.startup, embedded,
		&application.LeftoverFinder{Reconciler: applications, Waker: l.asking.applications, Pauses: p.o.Clock, Listed: accompanying.ObserveExisting},
		&application.Surveyor{Reconciler: applications, Waker: l.asking.applications, Pauses: p.o.Clock}))
}

// newStartup returns what restores the state of a new leader. It lacks the controllers of what asks for quota.
func (l *leader) newStartup(mgr ctrl.Manager, embedded *gate.Gate, watches []*optionalkind.Watch) (*leaderStartup, error) {
	s := newLeaderStartup(mgr, l.watcher, embedded, l.o.Clock)
	s.optionalWatches, s.namespaces, s.owns, s.share = watches, l.o.Scope.Namespaces, l.owns, l.share
	if l.share != nil {
		return s, nil // the cache has synced before
	}
	var err error
	s.prelisted, err = newPrelisted(mgr)
	return s, err
}

// newQueues returns the controller of SparkQueues, which has the embedded queue write counts together with its ledger.
func (l *leader) newQueues(mgr ctrl.Manager, embedded *gate.Gate) *queue.Reconciler {
	queues := queue.New(queue.Options{
		Client: mgr.GetClient(), Engine: queueEngine{embedded}, Share: l.share.Name(), Operator: l.operators.Name(),
		Serves: func(queue string) bool { return l.share.Serves(queue) && embedded.LedBy(queue) == "" },
		Clock:  l.o.Clock, Interval: l.o.QueueInterval, Ready: l.startup.wait, Log: mgr.GetLogger().WithName("queue"),
	})
	embedded.Observe(queues.Changed)
	embedded.WriteWithLedger(func(ctx context.Context, root string) gate.Counts {
		fields, written := queues.Counts(ctx, root)
		return gate.Counts{Fields: fields, Written: written}
	})
	return queues
}

// addPods adds the controller of unmanaged pods.
func (l *leader) addPods(mgr ctrl.Manager, gates reservation.Gates, embedded *gate.Gate) error {
	return l.asking.setUpPods(mgr, l.startup, unmanagedpods.Options{
		Pods: l.pods, Namespaces: l.o.Scope.Namespaces, Spark: l.watcher.Store(), Gates: gates, DefaultGate: l.o.DefaultGate, AllowedGates: l.o.AllowedGates,
		MaxTermination: l.o.MaxTermination, Clock: l.o.Clock, Share: l.share, LedBy: embedded.LedBy,
	})
}

// claimsOf returns the claims of other operators on applications; nil if there are no other operators to this process.
func (p *Process) claimsOf(mgr ctrl.Manager, embedded *gate.Gate) *operators.Claims {
	if p.operators == nil {
		return nil
	}
	return &operators.Claims{Operators: p.operators, Queues: embedded, Selective: p.o.Scope.Queues != nil,
		QueueOf: func(ctx context.Context, app *v1alpha1.SparkApplication) (string, bool, error) {
			return share.QueueOf(ctx, mgr.GetClient(), p.o.DefaultGate, app)
		}}
}

// owns reports whether this leader decides on an application.
func (l *leader) owns(ctx context.Context, app *v1alpha1.SparkApplication) (bool, error) {
	if mine, _, err := l.claims.Decides(ctx, app); err != nil || !mine {
		return false, err
	}
	return l.share.Owns(ctx, app)
}

// newQueue returns the embedded queue of a leader.
func (l *leader) newQueue(mgr ctrl.Manager) *gate.Gate {
	o := gate.Options{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Queues: l.o.Scope.Queues, Holder: l.o.Holder,
		Wake: l.asking.Wake, Clock: l.o.Clock, Log: mgr.GetLogger().WithName("queue"),
		Meter: queue.Meter{Series: l.series}, Fenced: l.o.Fenced, DecisionLog: decisionLog(mgr, l.o),
	}
	if l.share != nil {
		o.Share = l.share
	}
	if l.operators != nil {
		o.Operators = l.operators
	}
	return gate.New(o)
}

func (l *leader) newCompanions(mgr ctrl.Manager) *companions.Reconciler {
	return companions.New(companions.Options{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Exposure: l.o.exposure(), Recorder: mgr.GetEventRecorder("sparkgate"), Clock: l.o.Clock,
		Namespaces: l.o.Scope.Namespaces, AddressChanged: l.asking.applications.Wake, Owns: l.owns, Ready: l.startup.wait,
	})
}

func (l *leader) applicationOptions(mgr ctrl.Manager, gates reservation.Gates, accompanying *companions.Reconciler) application.Options {
	o := l.o
	return application.Options{
		Namespaces: o.Scope.Namespaces, Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Pods: l.watcher.Store(), Share: l.share, Claims: l.claims,
		Gates: gates, DefaultGate: o.DefaultGate, AllowedGates: o.AllowedGates, ReferenceTimeout: o.ReferenceTimeout,
		MaxTermination: o.MaxTermination, ExecutorInterval: o.ExecutorInterval, HistoryURL: o.HistoryURL, FewEvents: o.FewEvents,
		Exposure: o.exposure(), UIAddress: accompanying.Address, ForbidPodSecurityNone: o.ForbidPodSecurityNone,
		Recorder: mgr.GetEventRecorder("sparkgate"), Notifier: l.notifier,
		Rights: accountrights.New(mgr.GetClient(), o.Clock, mgr.GetLogger().WithName("rights")), Logs: logReader(l.pods, o),
		Series: l.series, Clock: o.Clock, Ready: l.startup.wait, Prelisted: l.startup.prelisted, GateKinds: gateKinds(),
		ChargeUnattributed: l.asking.chargeUnattributed,
	}
}

// completeShare gives the share what it needs of the leader.
func (l *leader) completeShare(embedded *gate.Gate, applications *application.Reconciler, accompanying *companions.Reconciler, queues *queue.Reconciler) {
	l.share.Engine, l.share.Charge, l.share.Again = embedded, l.chargeIn(embedded), queues.ReloadSoon
	l.share.Changed = func() {
		l.asking.pods.WakeAll()
		err := applications.WakeAll(context.Background(), func(name types.NamespacedName) {
			l.asking.applications.Wake(name)
			accompanying.Wake(name)
		})
		if err != nil {
			l.share.Log.Error(err, "Failed to list the applications of a changed tree")
		}
	}
}

// chargeIn returns a function that charges what applications hold in queues that have come into the tree, by a live list.
func (l *leader) chargeIn(embedded *gate.Gate) func(context.Context, []string) error {
	return func(ctx context.Context, queues []string) error {
		came := map[string]bool{}
		for _, name := range queues {
			came[name] = true
		}
		apps, err := newApplicationList(l.startup.manager, l.o.Scope.Namespaces)
		if err != nil {
			return err
		}
		var held []gate.Holding
		err = apps.each(ctx, func(app *v1alpha1.SparkApplication) {
			l.startup.expectations.Observed(app)
			if g := app.Status.Grant; g != nil && came[g.Queue] && catalog.Of(g.Gate).SparkQueues {
				held = append(held, holdingOf(app))
			}
		})
		if err != nil {
			return err
		}
		embedded.ChargeAll(held)
		return nil
	}
}

func runnablesOf(watches []*optionalkind.Watch) []runnable {
	var all []runnable
	for _, w := range watches {
		all = append(all, w)
	}
	return all
}
