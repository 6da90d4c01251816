// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/act"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/application/observe"
	"github.com/sparkgate/sparkgate/controllers/application/plan"
	"github.com/sparkgate/sparkgate/controllers/internal/metricseries"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/internal/base/fairqueue"
	"github.com/sparkgate/sparkgate/internal/base/namespaces"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// Options configure a Reconciler. All fields are required unless a default is given.
type Options struct {
	// Client reads applications, queues and classes from the cache, and writes to the API server.
	Client client.Client
	// Live reads from the API server, bypassing the cache.
	Live client.Reader
	// Namespaces are those whose applications are reconciled.
	Namespaces namespaces.Set
	// Pods stores the Spark pods of these namespaces.
	Pods *pods.Store
	// Gates holds all gates by name.
	Gates reservation.Gates
	// DefaultGate is used where neither the application nor its namespace names a gate. Default: Embedded.
	DefaultGate v1alpha1.GateType
	// AllowedGates are the gates that namespaces without the annotation allowed-gates may use. Default:
	// catalog.WithQueues.
	AllowedGates []v1alpha1.GateType
	// ReferenceTimeout is how long an application waits for a missing reference before it counts as stalled. Default: 10m.
	ReferenceTimeout time.Duration
	// MaxTermination bounds how long pods may take to end after they were asked to. Default: 10m.
	MaxTermination time.Duration
	// ExecutorInterval is the minimum interval between status writes that change only executor counts. Default: 10s.
	ExecutorInterval time.Duration
	// HistoryURL is the URL of a job on a Spark history server; it contains v1alpha1.ApplicationIDToken. Default: no
	// history server.
	HistoryURL string
	// ForbidPodSecurityNone refuses applications with podSecurity None.
	ForbidPodSecurityNone bool
	// Exposure says which hosts web interfaces may use. Default: none.
	Exposure expose.Rules
	// UIAddress returns the address of the web interface of the current attempt, or the empty string to use the address
	// in the plan. Default: always empty.
	UIAddress func(*v1alpha1.SparkApplication) string
	// FewEvents restricts Kubernetes events to failures and warnings, leaving out stages and successes. Each event is a
	// write.
	FewEvents bool
	// Recorder records events.
	Recorder events.EventRecorder
	// Rights checks the service accounts of drivers; nil disables the check.
	Rights plan.Rights
	// Logs reads the logs of drivers whose attempt failed, to find the cause.
	Logs observe.LogReader
	// Notifier sends the same events to other systems; nil sends none.
	Notifier act.Notifier
	// Series bounds the label values of the metrics returned by the function Series. Default: no queue is configured.
	Series *metricseries.Bounds
	// Prelisted holds the applications to reconcile before the cache has synced. Default: the cache has synced already.
	Prelisted *Prelisted
	// Clock gives the time for every decision.
	Clock clock.Clock
	// ChargeUnattributed charges a pod to the queue of its namespace because it carries the labels of an application
	// but cannot be attributed to it. Nil charges nothing.
	ChargeUnattributed func(*pods.Record)
	// Ready blocks until this process leads and has restored the state that the previous leader left. Default: returns
	// immediately.
	Ready func(context.Context) error
}

// Reconciler reconciles applications. It is safe for concurrent use with different applications.
type Reconciler struct {
	Options
	memory     *memory.Store
	lookups    *plan.Lookups
	rejections *plan.Rejections
	// stageEvents limits the rate of events about stages, by namespace.
	stageEvents *fairqueue.Budget
	// deciding is true once this process decides; a standby does not.
	deciding atomic.Bool
}

// New returns a Reconciler and fills in the defaults of its options.
func New(o Options) *Reconciler {
	o.DefaultGate = cmp.Or(o.DefaultGate, v1alpha1.GateEmbedded)
	o.ReferenceTimeout = cmp.Or(o.ReferenceTimeout, 10*time.Minute)
	o.MaxTermination = cmp.Or(o.MaxTermination, pods.DefaultMaxTermination)
	if o.AllowedGates == nil {
		o.AllowedGates = catalog.WithQueues()
	}
	if o.Series == nil {
		o.Series = metricseries.New()
	}
	if o.Ready == nil {
		o.Ready = func(context.Context) error { return nil }
	}
	if o.UIAddress == nil {
		o.UIAddress = func(*v1alpha1.SparkApplication) string { return "" }
	}
	return &Reconciler{Options: o, memory: memory.New(), lookups: plan.NewLookups(o.Clock), rejections: plan.NewRejections(o.Clock),
		stageEvents: act.NewStageEvents(o.Clock)}
}

// Memory returns what the reconciler remembers of applications.
func (r *Reconciler) Memory() *memory.Store { return r.memory }

// chargeUnattributed charges pods to the queue of their namespace, as pods that belong to no application are.
func (r *Reconciler) chargeUnattributed(records []*pods.Record) {
	if r.ChargeUnattributed == nil {
		return
	}
	for _, record := range records {
		r.ChargeUnattributed(record)
	}
}
