// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application"
	"github.com/sparkgate/sparkgate/controllers/companions"
	"github.com/sparkgate/sparkgate/controllers/internal/accountrights"
	"github.com/sparkgate/sparkgate/controllers/internal/operators"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/controllers/internal/share"
	"github.com/sparkgate/sparkgate/controllers/internal/waker"
	"github.com/sparkgate/sparkgate/controllers/queue"
	"github.com/sparkgate/sparkgate/controllers/schedule"
	"github.com/sparkgate/sparkgate/controllers/unmanagedpods"
	"github.com/sparkgate/sparkgate/queueing/catalog"
	"github.com/sparkgate/sparkgate/queueing/embedded/gate"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
)

// leader decides on everything, or on its share of it. Its controllers run in a manager, which elects it.
type leader struct {
	*Process
	mgr ctrl.Manager
	// share is what this leader decides on; nil is everything.
	share *share.Share
	// claims knows which applications other operators decide on; nil means none.
	claims *operators.Claims
	asking *askers
	// embedded is the embedded queue, which is also a gate.
	embedded     *gate.Gate
	startup      *leaderStartup
	companions   *companions.Reconciler
	applications *application.Reconciler
	queues       *queue.Reconciler
}

// AddLeader adds the leader of one tree of queues to a manager, which elects and stops it. With an empty tree it is the
// leader of the rest: what is in no tree, under other gates, or in no queue. Objects are read from the manager's cache.
// Call ended once the manager has stopped, or cannot start.
func (p *Process) AddLeader(mgr ctrl.Manager, tree string) (ended func(), err error) {
	return p.addLeader(mgr, &share.Share{
		Tree: tree, Client: mgr.GetClient(), DefaultGate: p.o.DefaultGate, Log: mgr.GetLogger().WithName("share"),
	})
}

// addLeader adds a leader for a share, or for everything if it is nil: first its queue and the gates, then the
// controllers that ask them, and finally what runs when it is elected.
func (p *Process) addLeader(mgr ctrl.Manager, of *share.Share) (ended func(), err error) {
	l := &leader{Process: p, mgr: mgr, share: of, asking: &askers{applications: waker.New()}}
	l.embedded = l.newEmbedded()
	l.claims = l.newClaims()
	gates, watches, err := l.newGates()
	if err != nil {
		return func() {}, err
	}
	if l.startup, err = l.newStartup(watches); err != nil {
		return func() {}, err
	}
	l.companions = l.newCompanions()
	l.applications = application.New(l.applicationOptions(gates))
	l.queues = l.newQueues()
	schedules := l.newSchedules()
	if of != nil {
		l.completeShare()
	}
	ended = func() {
		p.remove(l)
		l.applications.Ended()
		l.queues.Ended()
		schedules.Ended()
	}
	err = errors.Join(l.addPods(gates), l.applications.SetupWithManager(mgr, l.asking.applications, p.o.Concurrent),
		l.companions.SetupWithManager(mgr, p.o.Concurrent), l.queues.SetupWithManager(mgr))
	if of.Rest() {
		err = errors.Join(err, schedules.SetupWithManager(mgr, p.o.Concurrent))
	}
	if err != nil {
		return ended, fmt.Errorf("set up controllers: %w", err)
	}
	p.add(l)
	return ended, addAll(mgr, append(runnablesOf(watches), l.startup, l.embedded, l.newExistingObjects()))
}

// newEmbedded returns the embedded queue.
func (l *leader) newEmbedded() *gate.Gate {
	o := gate.Options{
		Client: l.mgr.GetClient(), Live: l.mgr.GetAPIReader(), Queues: l.o.Scope.Queues, Holder: l.o.Holder,
		Wake: l.asking.Wake, Clock: l.o.Clock, Log: l.mgr.GetLogger().WithName("queue"),
		Meter: queue.Meter{Series: l.series}, Fenced: l.o.Fenced, DecisionLog: decisionLog(l.mgr, l.o),
	}
	if l.share != nil {
		o.Share = l.share
	}
	if l.operators != nil {
		o.Operators = l.operators
	}
	return gate.New(o)
}

// newClaims returns the Claims of this leader, or nil if other operators are ignored.
func (l *leader) newClaims() *operators.Claims {
	if l.operators == nil {
		return nil
	}
	return &operators.Claims{Operators: l.operators, Queues: l.embedded, Selective: l.o.Scope.Queues != nil,
		QueueOf: func(ctx context.Context, app *v1alpha1.SparkApplication) (string, bool, error) {
			return share.QueueOf(ctx, l.mgr.GetClient(), l.o.DefaultGate, app)
		}}
}

// owns reports whether this leader decides on an application.
func (l *leader) owns(ctx context.Context, app *v1alpha1.SparkApplication) (bool, error) {
	return l.applications.Owns(ctx, app)
}

func (l *leader) newCompanions() *companions.Reconciler {
	return companions.New(companions.Options{
		Client: l.mgr.GetClient(), Live: l.mgr.GetAPIReader(), Exposure: l.o.exposure(), Recorder: l.mgr.GetEventRecorder("sparkgate"), Clock: l.o.Clock,
		Namespaces: l.o.Scope.Namespaces, AddressChanged: l.asking.applications.Wake, Owns: l.owns, Ready: l.startup.wait,
	})
}

func (l *leader) applicationOptions(gates reservation.Gates) application.Options {
	o := l.o
	return application.Options{
		Namespaces: o.Scope.Namespaces, Client: l.mgr.GetClient(), Live: l.mgr.GetAPIReader(), Pods: l.watcher.Store(), Share: l.share, Claims: l.claims,
		Gates: gates, DefaultGate: o.DefaultGate, AllowedGates: o.AllowedGates, ReferenceTimeout: o.ReferenceTimeout,
		MaxTermination: o.MaxTermination, ExecutorInterval: o.ExecutorInterval, HistoryURL: o.HistoryURL, FewEvents: o.FewEvents,
		Exposure: o.exposure(), UIAddress: l.companions.Address, ForbidPodSecurityNone: o.ForbidPodSecurityNone,
		Recorder: l.mgr.GetEventRecorder("sparkgate"), Notifier: l.notifier,
		Rights: accountrights.New(l.mgr.GetClient(), o.Clock, l.mgr.GetLogger().WithName("rights")), Logs: logReader(l.pods, o),
		Series: l.series, Clock: o.Clock, Ready: l.startup.wait, Prelisted: l.startup.prelisted,
		ChargeUnattributed: l.asking.chargeUnattributed,
	}
}

// addPods adds the controller of unmanaged pods.
func (l *leader) addPods(gates reservation.Gates) error {
	l.asking.pods = unmanagedpods.New(unmanagedpods.Options{
		Client: l.mgr.GetClient(), Live: l.mgr.GetAPIReader(), Recorder: l.mgr.GetEventRecorder("sparkgate"), Ready: l.startup.wait,
		Pods: l.pods, Namespaces: l.o.Scope.Namespaces, Spark: l.watcher.Store(), Gates: gates, DefaultGate: l.o.DefaultGate, AllowedGates: l.o.AllowedGates,
		MaxTermination: l.o.MaxTermination, Clock: l.o.Clock, Share: l.share, LedBy: l.embedded.LedBy,
	})
	if err := l.mgr.Add(l.asking.pods); err != nil {
		return err
	}
	return l.asking.pods.SetupWithManager(l.mgr)
}

// newQueues returns the controller of SparkQueues. The embedded queue writes the controller's counts together with its
// ledger.
func (l *leader) newQueues() *queue.Reconciler {
	queues := queue.New(queue.Options{
		Client: l.mgr.GetClient(), Engine: queueEngine{l.embedded}, Share: l.share.Name(), Operator: l.operators.Name(),
		Serves: func(queue string) bool { return l.share.Serves(queue) && l.embedded.LedBy(queue) == "" },
		Clock:  l.o.Clock, Interval: l.o.QueueInterval, Ready: l.startup.wait, Log: l.mgr.GetLogger().WithName("queue"),
	})
	l.embedded.Observe(queues.Changed)
	l.embedded.WriteWithLedger(func(ctx context.Context, root string) gate.Counts {
		fields, written := queues.Counts(ctx, root)
		return gate.Counts{Fields: fields, Written: written}
	})
	return queues
}

func (l *leader) newSchedules() *schedule.Reconciler {
	return schedule.New(schedule.Options{
		Series: l.series, Notifier: l.scheduleNotifier,
		Client: l.mgr.GetClient(), Live: l.mgr.GetAPIReader(), Recorder: l.mgr.GetEventRecorder("sparkgate"), Clock: l.o.Clock, Ready: l.startup.wait,
		Operators: l.operators,
	})
}

// completeShare connects the share to the other parts of the leader.
func (l *leader) completeShare() {
	l.share.Engine, l.share.Charge, l.share.Again = l.embedded, l.chargeIn, l.queues.ReloadSoon
	l.share.Changed = func() {
		l.asking.pods.WakeAll()
		err := l.applications.WakeAll(context.Background(), func(name types.NamespacedName) {
			l.asking.applications.Wake(name)
			l.companions.Wake(name)
		})
		if err != nil {
			l.share.Log.Error(err, "Failed to list the applications of a changed tree")
		}
	}
}

// chargeIn charges what applications hold in queues that have moved into the tree, as listed from the API server.
func (l *leader) chargeIn(ctx context.Context, queues []string) error {
	apps, err := newApplicationList(l.mgr, l.o.Scope.Namespaces)
	if err != nil {
		return err
	}
	var held []gate.Holding
	err = apps.each(ctx, func(app *v1alpha1.SparkApplication) {
		l.applications.Expectations().Observed(app)
		if g := app.Status.Grant; g != nil && slices.Contains(queues, g.Queue) && catalog.Of(g.Gate).SparkQueues {
			held = append(held, holdingOf(app))
		}
	})
	if err != nil {
		return err
	}
	l.embedded.ChargeAll(held)
	return nil
}

func runnablesOf(watches []*optionalkind.Watch) []manager.Runnable {
	var all []manager.Runnable
	for _, w := range watches {
		all = append(all, w)
	}
	return all
}
