// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/internal/base/expectations"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
)

// Name is the name of the gate in the API.
const Name = "Kueue"

// Options configure a Gate. All fields are required unless a default is given.
type Options struct {
	// Client reads and writes Kueue's kinds, without a cache; see AddToScheme.
	Client client.WithWatch
	// Waker wakes every asker whose verdict may have changed.
	Waker queueing.Waker
	// Namespaces are those whose askers use the gate.
	Namespaces []string
	// FieldOwner is the field owner of the gate's writes.
	FieldOwner string
	// Interval is the pause before kinds that cannot be read are looked for again; six times that if they are not
	// served. Default: optionalkind.DefaultInterval.
	Interval time.Duration
	Clock    clock.Clock
	Log      logr.Logger
}

// Gate is the gate Kueue. Create it with New and start its Watches. It is safe for concurrent use.
type Gate struct {
	view      *view
	askers    *askers
	requester *requester
	resizer   *resizer
	holder    *holder
	releaser  *releaser
	cleaner   *cleaner
}

var (
	_ queueing.Gate             = (*Gate)(nil)
	_ queueing.KeyLister        = (*Gate)(nil)
	_ queueing.Evictor          = (*Gate)(nil)
	_ queueing.ProgressObserver = (*Gate)(nil)
	_ queueing.PriorityResolver = (*Gate)(nil)
	_ queueing.Resizer          = (*Gate)(nil)
)

// AddToScheme adds Kueue's kinds to a scheme.
func AddToScheme(scheme *runtime.Scheme) error { return kueuev1.AddToScheme(scheme) }

// New returns a gate. Its watches are not started.
func New(o Options) *Gate {
	v, s := &view{}, &shown{sizes: map[queueing.Key]map[types.UID]int32{}}
	a := &askers{waker: o.Waker, clock: o.Clock, asking: map[queueing.Key]asker{}, released: map[queueing.Key]time.Time{}}
	u := &unseen{view: v, clock: o.Clock, workloads: map[queueing.Key]map[string]unseenWorkload{}}
	wr := &writer{
		client: o.Client, fieldOwner: client.FieldOwner(o.FieldOwner), clock: o.Clock, view: v,
		written: map[types.UID]expectations.Version{}, asks: map[types.UID]int64{},
	}
	v.watch(o, &wakeups{view: v, writer: wr, unseen: u, askers: a, lastStates: map[string]string{}})
	cl := &cleaner{view: v, writer: wr, log: o.Log}
	gr := &grower{view: v, live: o.Client, writer: wr, unseen: u, askers: a}
	return &Gate{
		view: v, askers: a, cleaner: cl,
		requester: &requester{view: v, live: o.Client, writer: wr, unseen: u, cleaner: cl, askers: a},
		resizer:   &resizer{view: v, writer: wr, shown: s, grower: gr, cleaner: cl, askers: a, log: o.Log},
		holder:    &holder{view: v, writer: wr, askers: a},
		releaser:  &releaser{view: v, live: o.Client, writer: wr, unseen: u, shown: s, askers: a},
	}
}

// Watches returns the watches. They must be started, and Known, before the gate is used.
func (g *Gate) Watches() []*optionalkind.Watch { return g.view.all() }

// Capabilities implements queueing.Gate.
func (*Gate) Capabilities() queueing.Capabilities { return catalog.Of(Name) }

// Sync makes the Workload equal to the ask and returns what Kueue says about it.
func (g *Gate) Sync(ctx context.Context, ask queueing.Ask) (queueing.Verdict, error) {
	return g.requester.sync(ctx, ask)
}

// Persisted releases what the chunks hold beyond the grant of the asker, for pods that are gone.
func (g *Gate) Persisted(ctx context.Context, key queueing.Key, grant queueing.Grant) {
	g.resizer.settle(ctx, key, grant)
}

// Release releases what the key holds or asks for.
func (g *Gate) Release(ctx context.Context, key queueing.Key, how queueing.Release) error {
	return g.releaser.release(ctx, key, how)
}

// KeysFor returns the askers of this name that ask, or have a Workload that is unfinished or still has our finalizer.
func (g *Gate) KeysFor(kind, namespace, name string) []queueing.Key {
	return g.releaser.keysFor(queueing.Key{Kind: kind, Namespace: namespace, Name: name})
}

// Eviction returns why Kueue reclaims the quota of an attempt, or has already taken it; nil if neither.
func (g *Gate) Eviction(key queueing.Key, run, attempt int64) *queueing.Eviction {
	return g.holder.eviction(key, run, attempt)
}

// ReportProgress writes the condition PodsReady, from which Kueue learns whether the quota is in use, and the priority
// class, which may have changed.
func (g *Gate) ReportProgress(ctx context.Context, key queueing.Key, at queueing.Progress) error {
	return g.holder.report(ctx, key, at)
}

// Forget deletes the ended Workload of an attempt.
func (g *Gate) Forget(ctx context.Context, key queueing.Key, run, attempt int64) error {
	return g.cleaner.forget(ctx, key, run, attempt)
}

// Priority returns the value of a WorkloadPriorityClass. known is also true while the gate does not know whether the
// class exists.
func (g *Gate) Priority(class string) (value int32, known bool) {
	value, exists := g.view.priority(class)
	return value, exists || !g.view.priorities.Installed()
}

// Resize asks Kueue for pods above the base gang by means of chunks, and returns what the chunks have. While the watch
// lags behind own writes, the holder's allocation stays unchanged.
func (g *Gate) Resize(ctx context.Context, key queueing.Key, held queueing.Grant, want queueing.ResizeRequest) queueing.Allocation {
	return g.resizer.resize(ctx, key, held, want)
}
