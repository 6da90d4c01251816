// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/sparkgate/sparkgate/controllers/adopt"
	"github.com/sparkgate/sparkgate/controllers/application"
	"github.com/sparkgate/sparkgate/controllers/cluster"
	"github.com/sparkgate/sparkgate/controllers/companions"
	"github.com/sparkgate/sparkgate/controllers/explainserver"
	"github.com/sparkgate/sparkgate/controllers/internal/accountrights"
	"github.com/sparkgate/sparkgate/controllers/internal/driverlog"
	"github.com/sparkgate/sparkgate/controllers/internal/metricseries"
	"github.com/sparkgate/sparkgate/controllers/internal/notify"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/controllers/internal/waker"
	"github.com/sparkgate/sparkgate/controllers/queue"
	"github.com/sparkgate/sparkgate/controllers/schedule"
	"github.com/sparkgate/sparkgate/controllers/unmanagedpods"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/gate"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
)

// operator is what one process consists of. All of it runs in one manager. The controllers wait until the process is
// the leader and has restored the state of the previous one.
type operator struct {
	o        Options
	mgr      ctrl.Manager
	pods     corev1client.PodsGetter
	watcher  *pods.Watcher
	series   *metricseries.Bounds
	notifier *notify.Sender // nil for none
	asking   *askers
	// embedded is the embedded queue, which is also a gate.
	embedded     *gate.Gate
	startup      *leaderStartup
	companions   *companions.Reconciler
	applications *application.Reconciler
}

// Setup adds the whole operator to the manager: first the queue and the gates, then the controllers that ask them, and
// finally what runs when the process becomes the leader.
func Setup(mgr ctrl.Manager, o Options) error {
	op, err := newOperator(mgr, o)
	if err != nil {
		return err
	}
	gates, watches, err := op.newGates()
	if err != nil {
		return err
	}
	prelisted, err := newPrelisted(mgr)
	if err != nil {
		return err
	}
	op.startup = &leaderStartup{operator: op, optionalWatches: watches, prelisted: prelisted, log: mgr.GetLogger().WithName("takeover"), done: make(chan struct{})}
	op.companions = op.newCompanions()
	op.applications = application.New(op.applicationOptions(gates))
	op.asking.pods = op.newUnmanagedPods(gates)
	err = errors.Join(op.asking.pods.SetupWithManager(mgr), op.applications.SetupWithManager(mgr, op.asking.applications, op.o.Concurrent),
		op.companions.SetupWithManager(mgr, op.o.Concurrent), op.newQueues().SetupWithManager(mgr), op.newSchedules().SetupWithManager(mgr, op.o.Concurrent),
		cluster.New(cluster.Options{Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Clock: op.o.Clock, Ready: op.startup.wait}).SetupWithManager(mgr, op.o.Concurrent))
	if err != nil {
		return fmt.Errorf("set up controllers: %w", err)
	}
	runnables := []manager.Runnable{op.watcher, op.asking.pods, op.startup, op.embedded, op.newExistingObjects()}
	for _, w := range watches {
		runnables = append(runnables, w)
	}
	if o.Adopt {
		adopting, err := op.newAdopting()
		if err != nil {
			return err
		}
		runnables = append(runnables, adopting)
	}
	if op.notifier != nil {
		runnables = append(runnables, op.notifier)
	}
	if o.Explain != nil {
		runnables = append(runnables, op.newExplainServer())
	}
	for _, r := range runnables {
		if err := mgr.Add(r); err != nil {
			return err
		}
	}
	return nil
}

// newOperator returns an operator with everything that gates and controllers share.
func newOperator(mgr ctrl.Manager, o Options) (*operator, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	podClient, err := podsGetter(mgr)
	if err != nil {
		return nil, err
	}
	deciding.Set(0)
	op := &operator{
		o: o, mgr: mgr, pods: podClient, notifier: newSender(mgr, o), asking: &askers{applications: waker.New()},
		series: metricseries.New(slices.Concat(application.Series(), queue.Series(), schedule.Series())...),
	}
	op.watcher = pods.NewWatcher(podClient, pods.NewStore(op.asking.changed), o.Scope.Namespaces)
	op.embedded = op.newEmbedded()
	return op, nil
}

// newEmbedded returns the embedded queue.
func (op *operator) newEmbedded() *gate.Gate {
	return gate.New(gate.Options{
		Client: op.mgr.GetClient(), Live: op.mgr.GetAPIReader(), Queues: op.o.Scope.Queues, Holder: op.o.Holder,
		Wake: op.asking.Wake, Clock: op.o.Clock, Log: op.mgr.GetLogger().WithName("queue"),
		Meter: queue.Meter{Series: op.series}, Fenced: op.o.Fenced, DecisionLog: decisionLog(op.mgr, op.o),
	})
}

func (op *operator) newCompanions() *companions.Reconciler {
	return companions.New(companions.Options{
		Client: op.mgr.GetClient(), Live: op.mgr.GetAPIReader(), Exposure: op.o.exposure(), Recorder: op.mgr.GetEventRecorder("sparkgate"), Clock: op.o.Clock,
		Namespaces: op.o.Scope.Namespaces, AddressChanged: op.asking.applications.Wake, Ready: op.startup.wait,
	})
}

func (op *operator) applicationOptions(gates reservation.Gates) application.Options {
	o := op.o
	options := application.Options{
		Namespaces: o.Scope.Namespaces, Client: op.mgr.GetClient(), Live: op.mgr.GetAPIReader(), Pods: op.watcher.Store(),
		Gates: gates, DefaultGate: o.DefaultGate, AllowedGates: o.AllowedGates, ReferenceTimeout: o.ReferenceTimeout,
		MaxTermination: o.MaxTermination, ExecutorInterval: o.ExecutorInterval, HistoryURL: o.HistoryURL, FewEvents: o.FewEvents,
		Exposure: o.exposure(), UIAddress: op.companions.Address, ForbidPodSecurityNone: o.ForbidPodSecurityNone,
		Recorder: op.mgr.GetEventRecorder("sparkgate"),
		Rights:   accountrights.New(op.mgr.GetClient(), o.Clock, op.mgr.GetLogger().WithName("rights")), Logs: driverlog.New(op.pods, o.Clock),
		Series: op.series, Clock: o.Clock, Ready: op.startup.wait, Prelisted: op.startup.prelisted,
		ChargeUnattributed: op.asking.chargeUnattributed,
	}
	if op.notifier != nil {
		options.Notifier = op.notifier
	}
	return options
}

func (op *operator) newUnmanagedPods(gates reservation.Gates) *unmanagedpods.Reconciler {
	return unmanagedpods.New(unmanagedpods.Options{
		Client: op.mgr.GetClient(), Live: op.mgr.GetAPIReader(), Recorder: op.mgr.GetEventRecorder("sparkgate"), Ready: op.startup.wait,
		Pods: op.pods, Namespaces: op.o.Scope.Namespaces, Spark: op.watcher.Store(), Gates: gates.Only(func(c queueing.Capabilities) bool { return c.Charges }),
		DefaultGate: op.o.DefaultGate, AllowedGates: op.o.AllowedGates,
		MaxTermination: op.o.MaxTermination, Clock: op.o.Clock,
	})
}

// newAdopting sets up the controller that runs the applications of kubeflow's operator. It returns the watch of these.
func (op *operator) newAdopting() (manager.Runnable, error) {
	c, err := optionalkind.NewClient(op.mgr.GetConfig(), op.mgr.GetHTTPClient(), adopt.AddToScheme)
	if err != nil {
		return nil, fmt.Errorf("create client for objects to adopt: %w", err)
	}
	r := adopt.New(adopt.Options{
		Client: op.mgr.GetClient(), Theirs: c, Namespaces: op.o.Scope.Namespaces, Pods: op.watcher.Store(), Recorder: op.mgr.GetEventRecorder("sparkgate"),
		Clock: op.o.Clock, Interval: op.o.GateInterval, Ready: op.startup.wait, Log: op.mgr.GetLogger().WithName("adopt"),
	})
	return r.Watch(), r.SetupWithManager(op.mgr, op.o.Concurrent)
}

// newQueues returns the controller of SparkQueues. The embedded queue writes the controller's counts together with its
// ledger.
func (op *operator) newQueues() *queue.Reconciler {
	queues := queue.New(queue.Options{
		Client: op.mgr.GetClient(), Engine: queueEngine{op.embedded}, Clock: op.o.Clock, Interval: op.o.QueueInterval, Ready: op.startup.wait, Log: op.mgr.GetLogger().WithName("queue"),
	})
	op.embedded.Observe(queues.Changed)
	op.embedded.WriteWithLedger(func(ctx context.Context, root string) gate.Counts {
		fields, written := queues.Counts(ctx, root)
		return gate.Counts{Fields: fields, Written: written}
	})
	return queues
}

func (op *operator) newSchedules() *schedule.Reconciler {
	o := schedule.Options{
		Client: op.mgr.GetClient(), Live: op.mgr.GetAPIReader(), Recorder: op.mgr.GetEventRecorder("sparkgate"), Series: op.series, Clock: op.o.Clock,
		Ready: op.startup.wait,
	}
	if op.notifier != nil {
		o.Notifier = op.notifier
	}
	return schedule.New(o)
}

// newExplainServer returns the server for the live view of the embedded queue.
func (op *operator) newExplainServer() *explainserver.Server {
	return explainserver.NewServer(op.o.Explain, explainserver.Options{
		Reader: op.mgr.GetClient(), Namespaces: op.o.Scope.Namespaces, Queues: op.embedded.View(), Reviewer: explainserver.APIServer{Client: op.mgr.GetClient()},
		Clock: op.o.Clock, Log: op.mgr.GetLogger().WithName("explain"),
	})
}
