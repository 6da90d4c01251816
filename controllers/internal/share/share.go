// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package share

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/internal/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/trees"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// Engine is the part of the embedded queue that a share uses.
type Engine interface {
	// InFlight reports whether a grant of an application is on its way to the application's status.
	InFlight(key queueing.Key) bool
	// InFlightIn reports whether any grant in a queue is on its way.
	InFlightIn(queue string) bool
}

// Share is what one leader decides on. A nil Share is everything. It is safe for concurrent use.
type Share struct {
	// Tree is the root of the tree that is led; empty for everything that is in no tree.
	Tree string
	// Client reads namespaces from the cache, and writes the status of queues.
	Client client.Client
	// DefaultGate is used where neither an application nor its namespace names a gate.
	DefaultGate v1alpha1.GateType
	// Engine is the embedded queue of this leader.
	Engine Engine
	// Charge charges everything that applications in these queues hold, before the queues are served.
	Charge func(ctx context.Context, queues []string) error
	// Changed is called when this leader decides on other queues than before. It must not block.
	Changed func()
	// Again is called when Choose must be called again after a while. It must not block.
	Again func()
	Log   logr.Logger

	// passes is read-locked by every pass, and locked to give up a queue, so that no pass continues after that.
	passes sync.RWMutex
	// unreported is true if this leader decides on other queues than when Changed was last called. Only Choose uses it.
	unreported bool

	mu sync.RWMutex
	// forest holds all queues as they were last seen.
	forest *trees.Forest
	// serves are the queues that this leader serves, and leaving those of them that have moved to another tree.
	serves, leaving map[string]bool
}

// Name returns the tree that is led. It is empty for the leader of the rest, and for a leader of everything.
func (s *Share) Name() string {
	if s == nil {
		return ""
	}
	return s.Tree
}

// Serves reports whether this leader decides on what is in a queue.
func (s *Share) Serves(queue string) bool {
	if s == nil {
		return true
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.servesLocked(queue)
}

func (s *Share) servesLocked(queue string) bool {
	if s.Tree != "" {
		return s.serves[queue]
	}
	return s.forest != nil && s.forest.Root(queue) == "" && s.forest.Leader(queue) == ""
}

// Rest reports whether this leader decides on what belongs to no queue, such as schedules.
func (s *Share) Rest() bool { return s == nil || s.Tree == "" }

// Owns reports whether this leader decides on an application, judging by the queue to which its grant is charged, or
// else by the queue and gate that it would ask.
func (s *Share) Owns(ctx context.Context, app *v1alpha1.SparkApplication) (bool, error) {
	release, owns, err := s.Enter(ctx, app)
	release()
	return owns, err
}

// Enter is Owns, and keeps this leader from giving up the queue until release is called. release must be called in any
// case, even after an error.
func (s *Share) Enter(ctx context.Context, app *v1alpha1.SparkApplication) (release func(), owns bool, err error) {
	if s == nil {
		return func() {}, true, nil
	}
	queue, embedded, err := QueueOf(ctx, s.Client, s.DefaultGate, app)
	if err != nil {
		return func() {}, false, err
	}
	s.passes.RLock()
	s.mu.RLock()
	defer s.mu.RUnlock()
	if g := app.Status.Grant; g != nil {
		queue = s.countsAt(g)
	}
	switch {
	case !embedded:
		owns = s.Tree == ""
	case s.leaving[queue] && app.Status.Grant == nil:
		owns = s.Engine.InFlight(convert.KeyOf(app)) // it may still accept what it was granted, but asks for nothing more here
	default:
		owns = s.servesLocked(queue)
	}
	return s.passes.RUnlock, owns, nil
}

// countsAt returns the queue at which a grant counts: its own, or if that was deleted, the nearest existing one above
// it.
func (s *Share) countsAt(g *v1alpha1.Grant) string {
	if s.forest == nil || s.forest.Has(g.Queue) {
		return g.Queue
	}
	if i := slices.IndexFunc(g.Ancestors, s.forest.Has); i >= 0 {
		return g.Ancestors[i]
	}
	return g.Queue
}

// QueueOf returns the queue of an application's grant, or else the queue that it would ask, and whether the embedded
// queue decides there. It reads namespaces from the given reader.
func QueueOf(ctx context.Context, namespaces client.Reader, gate v1alpha1.GateType, app *v1alpha1.SparkApplication) (queue string, embedded bool, err error) {
	if g := app.Status.Grant; g != nil {
		return g.Queue, catalog.Of(g.Gate).SparkQueues, nil
	}
	policy, err := policyOf(ctx, namespaces, app.Namespace)
	if err != nil {
		return "", false, err
	}
	placed := policy.Place(app, namespacepolicy.Defaults{Gate: gate})
	return placed.Queue, catalog.Of(placed.Gate).SparkQueues, nil
}

// Stray reports whether this leader must charge the pods of an application that does not exist and about which it knows
// nothing. That is so if it serves the default queue of the namespace and no ledger records that the application held
// anything.
func (s *Share) Stray(ctx context.Context, key queueing.Key) (bool, error) {
	queue, err := s.defaultQueue(ctx, key.Namespace)
	if err != nil || !s.Serves(queue) {
		return false, err
	}
	list := &v1alpha1.SparkQueueList{}
	if err := s.Client.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return false, fmt.Errorf("list queues: %w", err)
	}
	for i := range list.Items {
		ledger := list.Items[i].Status.Ledger
		if ledger == nil {
			continue
		}
		entries, _ := ledger.Decode() // invalid entries were not written by an operator and prove nothing
		if slices.ContainsFunc(slices.Concat(entries.InFlight, entries.Orphans), func(e v1alpha1.LedgerEntry) bool { return e.UID == key.UID }) {
			return false, nil
		}
	}
	return true, nil
}

// defaultQueue returns the default queue of a namespace.
func (s *Share) defaultQueue(ctx context.Context, name string) (string, error) {
	policy, err := policyOf(ctx, s.Client, name)
	return policy.Place(nil, namespacepolicy.Defaults{}).Queue, err
}

// policyOf returns the policy of a namespace, or an empty policy if the namespace does not exist.
func policyOf(ctx context.Context, namespaces client.Reader, name string) (namespacepolicy.Policy, error) {
	namespace := livemeta.Namespace(name)
	if err := namespaces.Get(ctx, client.ObjectKeyFromObject(namespace), namespace); client.IgnoreNotFound(err) != nil {
		return namespacepolicy.Policy{}, fmt.Errorf("read namespace %s: %w", name, err)
	}
	return namespacepolicy.Of(namespace), nil
}
