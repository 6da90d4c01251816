// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/sparkgate/sparkgate/controllers/application"
	"github.com/sparkgate/sparkgate/controllers/internal/metricseries"
	"github.com/sparkgate/sparkgate/controllers/internal/operators"
	"github.com/sparkgate/sparkgate/controllers/queue"
	"github.com/sparkgate/sparkgate/controllers/schedule"
	"github.com/sparkgate/sparkgate/internal/pods"
)

// Process is what all leaders of one process share: the records of Spark pods, the metrics series, the connection to
// notification-controller, and the explain endpoint. There is one leader, or one for each tree of queues that this
// process leads. Process is safe for concurrent use.
type Process struct {
	o        Options
	pods     corev1client.PodsGetter
	watcher  *pods.Watcher
	series   *metricseries.Bounds
	notifier application.Notifier
	// scheduleNotifier is the same for schedules.
	scheduleNotifier schedule.Notifier
	// operators are the other installations in the cluster; nil if they are ignored.
	operators *operators.Operators

	mu      sync.Mutex
	leaders []*leader
}

// NewProcess adds everything to the manager that all leaders share. There is no leader yet.
func NewProcess(mgr ctrl.Manager, o Options) (*Process, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	podClient, err := podsGetter(mgr)
	if err != nil {
		return nil, err
	}
	p := &Process{o: o, pods: podClient, series: metricseries.New(slices.Concat(application.Series(), queue.Series(), schedule.Series())...)}
	deciding.of.Set("", p)
	p.watcher = pods.NewWatcher(podClient, pods.NewStore(p.podsChanged), o.Scope.Namespaces)
	runnables := []manager.Runnable{p.watcher}
	if sender := newSender(mgr, o); sender != nil {
		p.notifier, p.scheduleNotifier, runnables = sender, sender, append(runnables, sender)
	}
	if o.Operator.Namespace != "" {
		p.operators = operators.New(operators.Options{
			Namespace: o.Operator.Namespace, Lease: o.Operator.Lease, Timeout: o.Operator.Timeout,
			Live: mgr.GetAPIReader(), Clock: o.Clock, Log: mgr.GetLogger().WithName("operators"),
		})
		runnables = append(runnables, p.operators)
	}
	if o.Explain != nil {
		runnables = append(runnables, newExplainServer(mgr, p, o))
	}
	return p, addAll(mgr, runnables)
}

// podsChanged makes all leaders reconcile an application whose pods have changed.
func (p *Process) podsChanged(app types.NamespacedName) {
	for _, l := range p.all() {
		l.asking.changed(app)
	}
}

func (p *Process) all() []*leader {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.leaders
}

func (p *Process) add(l *leader) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leaders = append(slices.Clone(p.leaders), l)
}

func (p *Process) remove(l *leader) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leaders = slices.DeleteFunc(slices.Clone(p.leaders), func(other *leader) bool { return other == l })
}
