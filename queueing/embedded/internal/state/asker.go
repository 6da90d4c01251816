// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package state

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/placement"
)

// Ask is one attempt that requests a grant.
type Ask struct {
	Run, Attempt int64
	Queue        string
	Labels       map[string]string
	// NeedsLimits is queueing.Ask.NeedsLimits.
	NeedsLimits bool
	Priority    int32
	QueuedAt    time.Time
	// HoldsFor bounds how long the grant is held; 0 means no bound.
	HoldsFor time.Duration
	// Elastic is queueing.Ask.Elastic: the grant may grow unless it is empty.
	Elastic string
	// Inputs is copied from the ask into the grant.
	Inputs string
	// Part is queueing.Ask.Part.
	Part      bool
	Signature *placement.Signature
	// HeadSince is when this ask, or one that it replaced at the head of the queue, became the blocked head; zero if it
	// is not one.
	HeadSince time.Time
	// StartBy is the latest time at which the ask will start by the bounds of all holders, as calculated when estimates
	// no longer counted for it: zero if unknown, nil before that.
	StartBy *time.Time
}

// Asker is what is known under one key: an ask, a grant, or both, in which case the ask waits for the release of the
// grant.
type Asker struct {
	Key  queueing.Key
	Ask  *Ask
	Held *Held
	// Claim is the claim of the pending ask; nil if nothing is reclaimed for it.
	Claim *Claim
	// Verdict is the verdict of the last Cycle that evaluated the waiting ask; nil is Undecided.
	Verdict *queueing.Verdict
	// Class is the class of the pending ask, and heapIndex the index in it; nil if the ask is in none.
	Class     *Class
	heapIndex int
}

// entry is the first ask of a class that has no claim, with a copy of the values that order it. There may be many
// classes, most of which are compared often and granted nothing.
type entry struct {
	asker    *Asker
	priority int32
	queuedAt time.Time
}

// AskOf converts an ask.
func AskOf(in queueing.Ask) *Ask {
	return &Ask{
		Part: in.Part,
		Run:  in.Run, Attempt: in.Attempt, Queue: in.Queue, Labels: in.NamespaceLabels, NeedsLimits: in.NeedsLimits,
		Priority: in.Priority, QueuedAt: in.QueuedAt, HoldsFor: max(0, in.HoldsFor), Elastic: in.Elastic, Inputs: in.Inputs, Signature: placement.NewSignature(in.PodSets),
	}
}

// Equal reports whether two asks have the same place in the same queue. Inputs make no difference to that.
func (a *Ask) Equal(b *Ask) bool {
	return a.Run == b.Run && a.Attempt == b.Attempt && a.Queue == b.Queue && a.Priority == b.Priority &&
		a.QueuedAt.Equal(b.QueuedAt) && a.HoldsFor == b.HoldsFor && a.Elastic == b.Elastic && a.Part == b.Part && a.NeedsLimits == b.NeedsLimits && a.Signature.Key == b.Signature.Key &&
		maps.Equal(a.Labels, b.Labels)
}

// Inherit takes over from the replaced ask what it has gained as the head of its queue, unless this ask begins at a new
// place in the queue. Without that, frequent changes of namespace labels could starve an ask, as each change replaces
// it. The expected start is calculated again only if this ask needs more, because other asks were admitted only if they
// end before it.
func (a *Ask) Inherit(before *Ask) {
	if before.Queue != a.Queue || a.QueuedAt.After(before.QueuedAt) {
		return
	}
	a.HeadSince, a.StartBy = before.HeadSince, before.StartBy
}

// ClassKey returns the key of the ask's equivalence class. Asks share a class if they have the same needs, the same
// bound of time, and the same access to the queue.
func (a *Ask) ClassKey(access Access) string {
	switch {
	case access == NotSelected:
		return "-" + a.Signature.Key
	case access == WithoutLimits:
		return "!" + a.Signature.Key
	case a.Part:
		return "*" + a.Signature.Key
	}
	if a.HoldsFor == 0 {
		return "+" + a.Signature.Key
	}
	return "+" + a.HoldsFor.String() + " " + a.Signature.Key
}

// CompareAskers orders pending askers by higher priority, then age, then smaller UID. Namespace and name make the order
// total.
func CompareAskers(a, b *Asker) int {
	if a.Ask.Priority != b.Ask.Priority {
		return cmp.Compare(b.Ask.Priority, a.Ask.Priority)
	}
	if order := a.Ask.QueuedAt.Compare(b.Ask.QueuedAt); order != 0 {
		return order
	}
	return compareUIDs(a, b)
}

func compareUIDs(a, b *Asker) int {
	if a.Key.UID != b.Key.UID {
		return strings.Compare(a.Key.UID, b.Key.UID)
	}
	return CompareKeys(a.Key, b.Key)
}

// CompareKeys orders keys by namespace, kind, name and UID.
func CompareKeys(a, b queueing.Key) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name), strings.Compare(a.UID, b.UID))
}

func entryOf(a *Asker) entry {
	return entry{asker: a, priority: a.Ask.Priority, queuedAt: a.Ask.QueuedAt}
}

// compare orders entries like CompareAskers. It works even if the asker no longer asks for anything.
func (a entry) compare(b entry) int {
	if a.priority != b.priority {
		return cmp.Compare(b.priority, a.priority)
	}
	if order := a.queuedAt.Compare(b.queuedAt); order != 0 {
		return order
	}
	return compareUIDs(a.asker, b.asker)
}

// Registry holds the askers by key, and the keys whose verdict has changed.
type Registry struct {
	Askers  map[queueing.Key]*Asker
	Changed map[queueing.Key]bool
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	return &Registry{Askers: map[queueing.Key]*Asker{}, Changed: map[queueing.Key]bool{}}
}

// SortedKeys returns the keys of all askers in order.
func (rg *Registry) SortedKeys() []queueing.Key {
	keys := slices.AppendSeq(make([]queueing.Key, 0, len(rg.Askers)), maps.Keys(rg.Askers))
	slices.SortFunc(keys, CompareKeys)
	return keys
}

// SetVerdict sets the verdict of a pending asker, and records its key if the verdict has changed.
func (rg *Registry) SetVerdict(a *Asker, v *queueing.Verdict) {
	if a.Verdict == nil || *a.Verdict != *v {
		rg.Changed[a.Key] = true
	}
	a.Verdict = v
}
