// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"context"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/internal/base/expectations"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
)

// Name is the name of the gate in the API.
const Name = "Kueue"

const (
	// retryAfter is the pause after Kueue, or another object with the same name, prevented a Workload from being
	// created.
	retryAfter = 10 * time.Second
	// toleratedSilence is how long Kueue may be silent about a Workload before that is reported. It admits most
	// Workloads within moments, so this saves a status write that would soon be outdated.
	toleratedSilence = 5 * time.Second
	// releasedTTL is how long a release is remembered, in case the watch lags behind.
	releasedTTL = time.Minute
)

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
	g := &Gate{o: o, tracker: tracker{
		clock: o.Clock, asking: map[queueing.Key]asker{}, created: map[queueing.Key]string{},
		written: map[types.UID]expectations.Version{}, asks: map[types.UID]int64{}, chunks: map[queueing.Key]map[string]unseenChunk{}, shown: map[queueing.Key]map[types.UID]int32{},
		released: map[queueing.Key]bool{}, lost: map[queueing.Key][]string{}, lastQueueStates: map[string]string{},
	}}
	g.writer = writer{client: o.Client, fieldOwner: o.FieldOwner, tracker: &g.tracker}
	g.watch()
	return g
}

// Capabilities implements queueing.Gate.
func (*Gate) Capabilities() queueing.Capabilities { return catalog.Of(Name) }

// Sync makes the Workload equal to the ask and returns what Kueue says about it.
func (g *Gate) Sync(ctx context.Context, ask queueing.Ask) (queueing.Verdict, error) {
	since := g.trackAsk(ask.Key)
	if g.unreadable() {
		return unreadable(), nil
	}
	if !g.installed() {
		return notInstalled(), nil
	}
	v, err := g.sync(ctx, ask)
	switch {
	case apierrors.IsConflict(err):
		return queueing.Verdict{}, nil // another client has changed the Workload, and the watch will show it
	case optionalkind.WriteRefused(err):
		g.retry(ask.Key)
		return waiting(queueing.ReasonWaitingForGate, "the Workload could not be changed to what is asked for now; the operator will retry: "+stabilise(err.Error())), nil
	}
	if v.State == queueing.Granted {
		g.mu.Lock()
		g.forgetAsk(ask.Key)
		delete(g.released, ask.Key)
		g.mu.Unlock()
	}
	return g.hideShortSilence(ask.Key, since, v), err
}

// hideShortSilence returns the verdict on an asker that has asked since then, or Undecided if Kueue has been silent for
// less than toleratedSilence.
func (g *Gate) hideShortSilence(key queueing.Key, since time.Time, v verdict) queueing.Verdict {
	if wait := since.Add(toleratedSilence).Sub(g.o.Clock.Now()); v.silent && wait > 0 {
		g.o.Waker.WakeAfter(key, wait)
		return queueing.Verdict{}
	}
	return v.Verdict
}

func (g *Gate) sync(ctx context.Context, ask queueing.Ask) (verdict, error) {
	w := g.current(ask)
	switch {
	case w == nil:
		v, err := g.create(ctx, ask)
		return verdict{Verdict: v}, err
	case g.watchIsBehind(w):
		return verdict{}, nil // the watch will show what was written
	case !w.DeletionTimestamp.IsZero():
		return verdict{}, g.removeFinalizer(ctx, w)
	case finished(w):
		v, err := g.afterEnd(ctx, ask, w)
		return verdict{Verdict: v}, err
	case reserved(w) && (g.isForEarlierAsk(w) || !mayKeep(w, ask)):
		return g.withdraw(ctx, ask, w)
	case !reserved(w) && !deactivated(w):
		if wanted := workloadOf(ask, g.priorityOf(ask)); differs(w, wanted) {
			return verdict{}, g.change(ctx, ask, w, wanted)
		}
	}
	v := verdictOf(ask, w, g.around(ask, w))
	if v.conflict {
		return v, g.end(ctx, w, failedToStart, v.Message)
	}
	return v, nil
}

// isLeft reports whether the quota of a Workload must be released regardless of the ask. The quota of a held Workload
// was already being released.
func isLeft(w *kueuev1.Workload, ask queueing.Ask) bool {
	return evicted(w) || held(w) || !isOf(w, ask.Run, ask.Attempt)
}

// mayKeep reports whether the quota of a Workload can be used for an ask. If a user has deactivated the Workload, what
// happens to its quota is left to Kueue.
func mayKeep(w *kueuev1.Workload, ask queueing.Ask) bool {
	return !isLeft(w, ask) && (deactivated(w) || fulfils(w, ask))
}

// withdraw releases quota that does not match the ask. If it is waiting for admission checks, it was not granted,
// and Kueue does not allow changing the Workload, so the Workload is deleted and another one will replace it.
func (g *Gate) withdraw(ctx context.Context, ask queueing.Ask, w *kueuev1.Workload) (verdict, error) {
	if !admitted(w) && !isLeft(w, ask) {
		return verdict{}, g.remove(ctx, w)
	}
	return verdict{Verdict: queueing.Verdict{State: queueing.Evicting, Grant: heldBy(w)}}, nil
}

// KeysFor returns the askers of this name that ask, or have a Workload that is unfinished or still has our finalizer.
func (g *Gate) KeysFor(kind, namespace, name string) []queueing.Key {
	named := queueing.Key{Kind: kind, Namespace: namespace, Name: name}
	found := map[queueing.Key]bool{}
	for _, w := range g.workloadsBy(ownerIndex, named.String()) {
		if key, ok := keyOf(w); ok && (!finished(w) || hasFinalizer(w)) {
			found[key] = true
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if a, asks := g.asking[named]; asks {
		found[queueing.Key{Kind: kind, Namespace: namespace, Name: name, UID: a.uid}] = true
	}
	for key := range g.created {
		if key.Named() == named {
			found[key] = true
		}
	}
	return slices.Collect(maps.Keys(found))
}

// Eviction returns why Kueue reclaims the quota of an attempt, or has already taken it; nil if neither.
func (g *Gate) Eviction(key queueing.Key, run, attempt int64) *queueing.Eviction {
	if !g.workloads.Installed() || g.wasReleased(key) {
		return nil
	}
	w := g.workloadFor(key, run, attempt)
	if w != nil && g.watchIsBehind(w) {
		return nil
	}
	return evictionOf(w)
}

// Priority returns the value of a WorkloadPriorityClass. known is also true while the gate does not know whether the
// class exists.
func (m *mirror) Priority(class string) (value int32, known bool) {
	if !m.priorities.Installed() {
		return 0, true
	}
	if c, ok := m.priorities.Get("", class).(*kueuev1.WorkloadPriorityClass); ok {
		return c.Value, true
	}
	return 0, false
}

// trackAsk records that an asker asks, and returns since when.
func (t *tracker) trackAsk(key queueing.Key) (since time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.asking[key.Named()]
	if a.uid != key.UID {
		a = asker{uid: key.UID, since: t.clock.Now()}
		t.asking[key.Named()] = a
	}
	return a.since
}

// forgetAsk forgets that an asker asks. The caller must hold the lock.
func (t *tracker) forgetAsk(key queueing.Key) {
	if t.asking[key.Named()].uid == key.UID {
		delete(t.asking, key.Named())
	}
}

// recordAsk records the generation of a Workload after it was changed to match an ask.
func (t *tracker) recordAsk(w *kueuev1.Workload) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asks[w.UID] = w.Generation
}

// isForEarlierAsk reports whether the quota of a Workload was given for what it asked before this process changed it:
// Kueue may write a decision without checking whether the Workload has changed since (kueue v0.19, pkg/scheduler). If
// Kueue does not state the generation, the quota counts as given for the change. If a user has deactivated the Workload
// since, its quota is left to Kueue.
func (t *tracker) isForEarlierAsk(w *kueuev1.Workload) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	decided := conditionOf(w, kueuev1.WorkloadQuotaReserved).ObservedGeneration
	return decided > 0 && decided < t.asks[w.UID] && !deactivated(w)
}

// wasReleased reports whether the key was released within releasedTTL.
func (t *tracker) wasReleased(key queueing.Key) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.released[key]
}

// retry wakes an asker after retryAfter.
func (g *Gate) retry(key queueing.Key) { g.o.Waker.WakeAfter(key, retryAfter) }
