// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/logtail"
	"github.com/sparkgate/sparkgate/controllers/internal/metricseries"
	"github.com/sparkgate/sparkgate/controllers/internal/operators"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/controllers/internal/share"
	"github.com/sparkgate/sparkgate/internal/fairqueue"
	"github.com/sparkgate/sparkgate/internal/namespaces"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
	"github.com/sparkgate/sparkgate/internal/spark/rights"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// Options of a Reconciler. All fields are required unless said otherwise.
type Options struct {
	// Client reads applications, queues and classes from the cache, and writes.
	Client client.Client
	// Live reads from the API server.
	Live client.Reader
	// Namespaces whose applications are reconciled.
	Namespaces namespaces.Set
	// Pods are the Spark pods of these namespaces.
	Pods *pods.Store
	// Gates by name.
	Gates reservation.Gates
	// DefaultGate is the gate of applications where neither they nor their namespace name one. Default: Embedded.
	DefaultGate v1alpha1.GateType
	// AllowedGates may be used in namespaces without the annotation allowed-gates. Default: catalog.WithQueues.
	AllowedGates []v1alpha1.GateType
	// ReferenceTimeout is how long an application waits for a missing reference before it counts as stalled. Default: 10m.
	ReferenceTimeout time.Duration
	// MaxTermination bounds how long pods may take to end once they have to. Default: 10m.
	MaxTermination time.Duration
	// ExecutorInterval bounds how often executor counts alone are written. Default: 10s.
	ExecutorInterval time.Duration
	// HistoryURL is the address of a job at a Spark history server, with v1alpha1.ApplicationIDToken. Default: there is none.
	HistoryURL string
	// ForbidPodSecurityNone refuses applications with podSecurity None.
	ForbidPodSecurityNone bool
	// Share is what this leader decides on; nil is everything.
	Share *share.Share
	// Claims says which applications another operator decides on; nil is none.
	Claims *operators.Claims
	// Exposure says which hosts web interfaces may have. Default: none.
	Exposure expose.Rules
	// UIAddress returns the address of the web interface of the current attempt; empty is the one that the plan has.
	// Default: always empty.
	UIAddress func(*v1alpha1.SparkApplication) string
	// FewEvents records Kubernetes events about failures and warnings only, not about every stage and success. Each event is a write.
	FewEvents bool
	// Recorder of events.
	Recorder events.EventRecorder
	// Rights of the service accounts of drivers; nil checks none.
	Rights Rights
	// Logs of drivers, for attempts that failed; nil keeps no log.
	Logs LogReader
	// Notifier sends the same events elsewhere; nil sends none.
	Notifier Notifier
	// GateKinds are the kinds of objects that gates create for attempts, under the names and labels of these. Default: none.
	GateKinds []schema.GroupVersionKind
	// Series bounds the label values of the metrics that Series returns. Default: no queue is configured.
	Series *metricseries.Bounds
	// Prelisted are reconciled before the cache has synced. Default: it has.
	Prelisted *Prelisted
	// Clock of every decision.
	Clock clock.Clock
	// ChargeUnattributed has a pod charged to the queue of its namespace, because it carries the labels of an application but cannot be
	// attributed to it. Nil charges nothing.
	ChargeUnattributed func(*pods.Record)
	// Ready returns once this process leads and has restored what the leader before it did. Default: at once.
	Ready func(context.Context) error
}

// Rights knows what service accounts are authorized to do. It is safe for concurrent use.
type Rights interface {
	// Cost returns how many calls Lacking would make now.
	Cost(account types.NamespacedName, needed []rights.Right) int
	// Lacking returns which of the needed rights an account does not have, and until when that answer is valid.
	Lacking(ctx context.Context, account types.NamespacedName, needed []rights.Right) (lacking []rights.Right, until time.Time, err error)
}

// Notifier sends events about applications to other systems. It must not block.
type Notifier interface {
	Notify(app *v1alpha1.SparkApplication, warning bool, reason, message string)
}

// Reconciler drives applications. It is safe for concurrent use with different applications.
type Reconciler struct {
	Options
	expectations *Expectations
	plans        *planCache
	sightings    *sightings
	refusals     *refusals
	meters       *meters
	deletions    *deletions
	orphans      *orphans
	kept         *keptAttempts
	surveys      *surveys
	lookups      *lookups
	rejections   *rejections
	// dryRunsFrom is when dry runs of pods begin again, in Unix nanoseconds: one has timed out before.
	dryRunsFrom atomic.Int64
	// warnings are the last warning events of drivers that do not start, by the uid of their pods.
	warnings *cache.Expiring
	// stageEvents is the budget of events about stages, by namespace.
	stageEvents *fairqueue.Budget
	// deciding is set once this process decides, which a standby does not.
	deciding atomic.Bool
}

// New returns a reconciler.
func New(o Options) *Reconciler {
	if o.DefaultGate == "" {
		o.DefaultGate = v1alpha1.GateEmbedded
	}
	if o.AllowedGates == nil {
		o.AllowedGates = catalog.WithQueues()
	}
	if o.ReferenceTimeout == 0 {
		o.ReferenceTimeout = 10 * time.Minute
	}
	if o.MaxTermination == 0 {
		o.MaxTermination = pods.DefaultMaxTermination
	}
	if o.Series == nil {
		o.Series = metricseries.New()
	}
	if o.Ready == nil {
		o.Ready = func(context.Context) error { return nil }
	}
	expectations := NewExpectations()
	deletions := newDeletions(expectations.knows)
	if o.UIAddress == nil {
		o.UIAddress = func(*v1alpha1.SparkApplication) string { return "" }
	}
	return &Reconciler{Options: o, expectations: expectations, deletions: deletions, orphans: newOrphans(), kept: newKeptAttempts(), surveys: newSurveys(),
		plans: newPlanCache(), sightings: newSightings(), refusals: newRefusals(), meters: newMeters(), lookups: newLookups(newExistenceCache(o.Clock)),
		rejections: newRejections(o.Clock), warnings: cache.NewExpiringWithClock(o.Clock),
		stageEvents: fairqueue.NewBudget(o.Clock, eventsPerSecond, eventsInARow)}
}

// Expectations returns what the reconciler remembers of its own writes.
func (r *Reconciler) Expectations() *Expectations { return r.expectations }

// LogReader reads the last lines of the log of a pod's Spark container; none if they cannot be read within seconds.
type LogReader interface {
	// Read applies hide before it truncates the log, because a part of a secret would not be recognized. hide is called only if
	// there is a log.
	Read(ctx context.Context, pod *pods.Record, hide func(string) string) logtail.Log
}

// chargeUnattributed has pods charged to the queue of their namespace, like pods of no application.
func (r *Reconciler) chargeUnattributed(records []*pods.Record) {
	if r.ChargeUnattributed == nil {
		return
	}
	for _, record := range records {
		r.ChargeUnattributed(record)
	}
}
