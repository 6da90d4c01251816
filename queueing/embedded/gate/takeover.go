// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// Holding is a grant found on the API server.
type Holding struct {
	Key   queueing.Key
	Grant queueing.Grant
	// Since is when it was granted; zero if unknown.
	Since time.Time
	// Orphan is true if the asker is deleted, so that its grant will be released soon.
	Orphan bool
}

// Acquired is what the ledgers contained when this process took them over.
type Acquired struct {
	inFlight []ledgerGrant
	orphans  map[queueing.Key]queueing.Grant
}

type ledgerGrant struct {
	key   queueing.Key
	entry *entry
}

// Recorded returns the grant of a deleted asker as recorded in the ledgers. Nothing else can prove what its pods may be
// charged to, because tenants can write labels.
func (a *Acquired) Recorded(key queueing.Key) (queueing.Grant, bool) {
	if grant, known := a.orphans[key]; known {
		return grant, true
	}
	for _, f := range a.inFlight {
		if f.key == key {
			return f.entry.grant, true
		}
	}
	return queueing.Grant{}, false
}

// InFlight returns the keys of the askers whose grants were on their way to their status.
func (a *Acquired) InFlight() []queueing.Key {
	keys := make([]queueing.Key, len(a.inFlight))
	for i, f := range a.inFlight {
		keys[i] = f.key
	}
	return keys
}

// Acquire takes over the ledgers of all trees; from then on no other process can make grants. Call it as soon as this
// process leads, then list the askers, then call Open. If askers are listed before Acquire, a grant that is written in
// between is never charged.
func (g *Gate) Acquire(ctx context.Context) (Acquired, error) {
	list := &v1alpha1.SparkQueueList{}
	if err := g.o.Live.List(ctx, list, &client.ListOptions{LabelSelector: g.o.Queues}); err != nil {
		return Acquired{}, fmt.Errorf("list queues: %w", err)
	}
	flavors := &v1alpha1.SparkFlavorList{}
	if err := g.o.Live.List(ctx, flavors); err != nil {
		return Acquired{}, fmt.Errorf("list flavors: %w", err)
	}
	queues := list.Items
	g.configure(queues, flavors.Items)
	acquired := Acquired{orphans: map[queueing.Key]queueing.Grant{}}
	for i := range queues {
		queue := &queues[i]
		if queue.Spec.Parent != "" && queue.Status.Ledger == nil {
			continue // this queue never was a root
		}
		before, err := g.ledgers.takeOver(ctx, queue)
		if err != nil {
			return Acquired{}, err
		}
		for i := range before.InFlight {
			key := keyOf(&before.InFlight[i])
			e := newEntry(key, queue.Name, grantOf(&before.InFlight[i]))
			e.recorded = true
			acquired.inFlight = append(acquired.inFlight, ledgerGrant{key, e})
		}
		for i := range before.Orphans {
			acquired.orphans[keyOf(&before.Orphans[i])] = grantOf(&before.Orphans[i])
		}
	}
	return acquired, nil
}

// Open restores what is held and starts to decide. held are the grants in the status of askers, the oldest of which is
// restored first, because the newest is preempted first. expected are the pending askers. alive reports whether an
// asker still exists.
//
// An in-flight grant that is in no status yet is charged and offered again if its asker is alive: the process that
// decided it may still write it.
func (g *Gate) Open(acquired Acquired, held []Holding, expected []queueing.Key, alive func(queueing.Key) bool) {
	a := g.admissions
	a.mu.Lock()
	defer a.mu.Unlock()
	has := map[queueing.Key]*queueing.Grant{}
	for _, h := range oldestFirst(held) {
		a.restore(h.Key, h.Grant)
		if h.Orphan {
			a.engine.SetHolderState(h.Key, h.Grant.Run, h.Grant.Attempt, queueing.HolderState{Terminating: true})
			a.addOrphan(h.Key, h.Grant)
		}
		has[h.Key] = &h.Grant
	}
	for _, f := range acquired.inFlight {
		if held := has[f.key]; held != nil {
			a.restoreGrowth(f.key, f.entry, held)
		} else if alive(f.key) {
			a.restoreInFlight(f.key, f.entry)
		}
	}
	for _, key := range expected {
		a.asks.await(key)
	}
	a.signals.rest.request()
	close(g.opened)
}

// oldestFirst returns grants in the order in which they were made.
func oldestFirst(held []Holding) []Holding {
	return slices.SortedStableFunc(slices.Values(held), func(a, b Holding) int { return a.Since.Compare(b.Since) })
}

// Reload applies the configuration of queues and flavors in the cache.
func (g *Gate) Reload(ctx context.Context) error {
	list := &v1alpha1.SparkQueueList{}
	if err := g.o.Client.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list queues: %w", err)
	}
	flavors := &v1alpha1.SparkFlavorList{}
	if err := g.o.Client.List(ctx, flavors, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list flavors: %w", err)
	}
	g.configure(list.Items, flavors.Items)
	return nil
}

// configure configures the engine with queues and flavors.
func (g *Gate) configure(queues []v1alpha1.SparkQueue, flavors []v1alpha1.SparkFlavor) {
	names := make([]string, len(queues))
	for i := range queues {
		names[i] = queues[i].Name
	}
	g.o.Meter.Configured(names)
	a := g.admissions
	a.mu.Lock()
	defer a.mu.Unlock()
	a.engine.Configure(convert.QueueConfigs(queues), convert.FlavorConfigs(flavors))
	a.newRoots = true
	a.signals.cycle.request()
}
