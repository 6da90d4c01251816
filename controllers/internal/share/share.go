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

// Engine is what a share has to know of the embedded queue.
type Engine interface {
	// InFlight reports whether a grant of an application is on its way to its status.
	InFlight(key queueing.Key) bool
	// InFlightIn reports whether any grant in a queue is on its way.
	InFlightIn(queue string) bool
}

// Share is what one leader decides on. A nil Share is everything. Safe for concurrent use.
type Share struct {
	// Tree is the root of the tree that is led; empty for what is in no tree.
	Tree string
	// Client reads namespaces from the cache, and writes the status of queues.
	Client client.Client
	// DefaultGate of applications where neither they nor their namespace name one.
	DefaultGate v1alpha1.GateType
	// Engine is the queue of this leader.
	Engine Engine
	// Charge has everything charged that applications in these queues hold, before the queues are served.
	Charge func(ctx context.Context, queues []string) error
	// Changed is called when this leader decides on other queues than before. It must not block.
	Changed func()
	// Again is called when Choose has to be called again after a while. It must not block.
	Again func()
	Log   logr.Logger

	// passes is held for reading by every pass, and for writing when a queue is given up: no pass continues after that.
	passes sync.RWMutex
	// unreported: this leader decides on other queues than when Changed was called last. Only Choose uses it.
	unreported bool

	mu sync.RWMutex
	// forest is all queues as they were seen last.
	forest *trees.Forest
	// serves are the queues of the tree that this leader serves; leaving those of them that have moved to another tree.
	serves, leaving map[string]bool
}

// Name returns the tree that is led; empty for the rest, and for everything.
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

// Rest reports whether this leader decides on what is of no queue, such as schedules.
func (s *Share) Rest() bool { return s == nil || s.Tree == "" }

// Owns reports whether this leader decides on an application: by the queue that its grant is charged to, else by the
// queue and the gate that it would ask.
func (s *Share) Owns(ctx context.Context, app *v1alpha1.SparkApplication) (bool, error) {
	release, owns, err := s.Enter(ctx, app)
	release()
	return owns, err
}

// Enter is Owns, and has this leader keep the queue until release is called. Release must be called in any case.
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
		owns = s.Engine.InFlight(convert.KeyOf(app)) // it may still take what it was granted; it asks for nothing more here
	default:
		owns = s.servesLocked(queue)
	}
	return s.passes.RUnlock, owns, nil
}

// countsAt returns the queue at which a grant counts: the nearest one above its own if that was deleted.
func (s *Share) countsAt(g *v1alpha1.Grant) string {
	if s.forest == nil || s.forest.Has(g.Queue) {
		return g.Queue
	}
	if i := slices.IndexFunc(g.Ancestors, s.forest.Has); i >= 0 {
		return g.Ancestors[i]
	}
	return g.Queue
}

// QueueOf returns the queue of the grant of an application, else the one that it would ask, and whether the embedded queue
// decides there. Namespaces are read from the cache of the client.
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

// Stray reports whether this leader has to charge the pods of an application that does not exist, and that it knows
// nothing of: it serves the default queue of the namespace, and no ledger says that the application held anything.
func (s *Share) Stray(ctx context.Context, key queueing.Key) (bool, error) {
	home, err := s.home(ctx, key.Namespace)
	if err != nil || !s.Serves(home) {
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
		entries, _ := ledger.Decode() // what no operator has written says nothing
		if slices.ContainsFunc(slices.Concat(entries.InFlight, entries.Orphans), func(e v1alpha1.LedgerEntry) bool { return e.UID == key.UID }) {
			return false, nil
		}
	}
	return true, nil
}

// home returns the default queue of a namespace.
func (s *Share) home(ctx context.Context, name string) (string, error) {
	policy, err := policyOf(ctx, s.Client, name)
	return policy.Place(nil, namespacepolicy.Defaults{}).Queue, err
}

// policyOf returns what a namespace says; nothing if it does not exist.
func policyOf(ctx context.Context, namespaces client.Reader, name string) (namespacepolicy.Policy, error) {
	namespace := livemeta.Namespace(name)
	if err := namespaces.Get(ctx, client.ObjectKeyFromObject(namespace), namespace); client.IgnoreNotFound(err) != nil {
		return namespacepolicy.Policy{}, fmt.Errorf("read namespace %s: %w", name, err)
	}
	return namespacepolicy.Of(namespace), nil
}
