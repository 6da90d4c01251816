// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// Holding is a grant found on the API server.
type Holding struct {
	Key   queueing.Key
	Grant queueing.Grant
	// Orphan: the application is deleted, and what its pods hold will be released soon.
	Orphan bool
}

// Acquired is what the ledgers held when this process took them over.
type Acquired struct {
	inFlight []ledgerGrant
	orphans  map[queueing.Key]queueing.Grant
}

// Recorded returns the grant of a deleted application as the ledgers have it. Nothing else can attest what its pods
// may be charged to, because tenants write labels.
func (a *Acquired) Recorded(key queueing.Key) (queueing.Grant, bool) {
	if grant, known := a.orphans[key]; known {
		return grant, true
	}
	for i := range a.inFlight {
		if entry := &a.inFlight[i].entry; keyOf(entry) == key {
			return grantOf(entry), true
		}
	}
	return queueing.Grant{}, false
}

type ledgerGrant struct {
	root  string
	entry v1alpha1.LedgerEntry
}

// Acquire takes over the ledgers of all trees: from here on no other process can grant. Call it as soon as this
// process leads, then list the applications, then Open. Applications listed before Acquire may get a grant afterwards
// that is never charged.
func (r *Runner) Acquire(ctx context.Context) (Acquired, error) {
	list := &v1alpha1.SparkQueueList{}
	if err := r.o.Live.List(ctx, list); err != nil {
		return Acquired{}, fmt.Errorf("list queues: %w", err)
	}
	flavors := &v1alpha1.SparkFlavorList{}
	if err := r.o.Live.List(ctx, flavors); err != nil {
		return Acquired{}, fmt.Errorf("list flavors: %w", err)
	}
	r.configure(list.Items, flavors.Items)
	acquired := Acquired{orphans: map[queueing.Key]queueing.Grant{}}
	for i := range list.Items {
		queue := &list.Items[i]
		if queue.Spec.Parent != "" && queue.Status.Ledger == nil {
			continue // never was a root
		}
		before, err := r.takeOver(ctx, queue)
		if err != nil {
			return Acquired{}, err
		}
		for _, e := range before.InFlight {
			acquired.inFlight = append(acquired.inFlight, ledgerGrant{root: queue.Name, entry: e})
		}
		for i := range before.Orphans {
			acquired.orphans[keyOf(&before.Orphans[i])] = grantOf(&before.Orphans[i])
		}
	}
	return acquired, nil
}

// Open restores what is held and begins to decide. held are the grants in the status of applications, expected the
// pending applications.
//
// An in-flight grant that is in no status yet is charged and offered again: the process that decided it may still
// write it.
func (r *Runner) Open(acquired Acquired, held []Holding, expected []queueing.Key, alive func(queueing.Key) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	has := map[queueing.Key]*queueing.Grant{}
	for _, h := range held {
		r.engine.Restore(h.Key, h.Grant)
		if h.Orphan {
			r.engine.SetHolderState(h.Key, h.Grant.Run, h.Grant.Attempt, queueing.HolderState{Terminating: true})
		}
		r.rememberGrant(h.Key, &h.Grant)
		if h.Orphan {
			r.addOrphan(h.Key, h.Grant)
		}
		has[h.Key] = &h.Grant
	}
	for i := range acquired.inFlight {
		f := &acquired.inFlight[i]
		key := keyOf(&f.entry)
		if held := has[key]; held != nil {
			r.restoreGrowth(f, held)
			continue
		}
		if !alive(key) {
			continue
		}
		grant := grantOf(&f.entry)
		r.engine.Restore(key, grant)
		r.rememberGrant(key, &grant)
		r.inFlight[key] = &inFlightGrant{root: f.root, grant: grant, recorded: true}
	}
	for _, key := range expected {
		r.awaited[key] = true
		r.rememberKey(key) // one that asks another gate by now is released here, and not waited for
	}
	r.requestRest()
	close(r.opened)
}

func (r *Runner) rememberGrant(key queueing.Key, grant *queueing.Grant) {
	s := attemptStart{run: grant.Run, attempt: grant.Attempt}
	r.rememberAsk(key, s)
	r.grants[key] = s
}

// Reload takes the configuration of queues and flavors from the cache.
func (r *Runner) Reload(ctx context.Context) error {
	list := &v1alpha1.SparkQueueList{}
	if err := r.o.Client.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list queues: %w", err)
	}
	flavors := &v1alpha1.SparkFlavorList{}
	if err := r.o.Client.List(ctx, flavors, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list flavors: %w", err)
	}
	r.configure(list.Items, flavors.Items)
	return nil
}

func (r *Runner) configure(queues []v1alpha1.SparkQueue, flavors []v1alpha1.SparkFlavor) {
	configs, classes := convert.QueueConfigs(queues), convert.FlavorConfigs(flavors)
	names := make([]string, len(configs))
	for i := range configs {
		names[i] = configs[i].Name
	}
	r.o.Meter.Configured(names)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.engine.Configure(configs, classes)
	r.newRoots = true
	r.requestCycle()
}
