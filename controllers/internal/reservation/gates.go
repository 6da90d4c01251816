// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package reservation

import (
	"context"
	"fmt"
	"slices"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// Gates maps the names of gates in the API to gates. A missing name is not supported.
type Gates map[string]queueing.Gate

// Known reports whether there is a gate with this name.
func (g Gates) Known(name string) bool { return g[name] != nil }

// Capabilities returns the capabilities of a gate.
func (g Gates) Capabilities(name string) queueing.Capabilities {
	if gate := g[name]; gate != nil {
		return gate.Capabilities()
	}
	return catalog.Of(v1alpha1.GateType(name))
}

// Only returns the gates with the wanted capabilities, for askers that never ask others.
func (g Gates) Only(wanted func(queueing.Capabilities) bool) Gates {
	some := Gates{}
	for name, gate := range g {
		if wanted(gate.Capabilities()) {
			some[name] = gate
		}
	}
	return some
}

// Names returns the names of the gates whose capabilities satisfy wanted, sorted.
func (g Gates) Names(wanted func(queueing.Capabilities) bool) []string {
	var names []string
	for name, gate := range g {
		if wanted(gate.Capabilities()) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Request submits an ask to a gate and returns its verdict, after releasing what the key has asked of other gates.
func (g Gates) Request(ctx context.Context, name string, ask queueing.Ask) (queueing.Verdict, error) {
	for other := range g {
		if other == name || !slices.Contains(g.keysAt(other, ask.Key), ask.Key) {
			continue
		}
		if err := g.releaseAt(ctx, other, ask.Key, queueing.Release{Reason: queueing.Abandoned}); err != nil {
			return queueing.Verdict{}, err
		}
	}
	verdict, err := g[name].Sync(ctx, ask)
	if err != nil {
		return queueing.Verdict{}, fmt.Errorf("ask gate %s: %w", name, err)
	}
	return verdict, nil
}

// QueuesFor returns the queues of a gate that asks from a namespace with these labels may name. known is false if the
// gate cannot say.
func (g Gates) QueuesFor(name string, namespaceLabels map[string]string, needsLimits bool) (queues []string, known bool) {
	lister, known := g[name].(queueing.QueueLister)
	if known {
		queues = lister.QueuesFor(namespaceLabels, needsLimits)
	}
	return queues, known
}

// Unlimited reports whether a queue of a gate is known to be without limits.
func (g Gates) Unlimited(name, queue string) bool {
	lister, known := g[name].(queueing.QueueLister)
	return known && lister.Unlimited(queue)
}

// Priority returns the value of a priority class of the gate's own, and whether that class is known. asked is false if
// the gate has no such classes.
func (g Gates) Priority(name, class string) (value int32, known, asked bool) {
	resolver, asked := g[name].(queueing.PriorityResolver)
	if asked {
		value, known = resolver.Priority(class)
	}
	return value, known, asked
}

// Keys returns the keys of this kind, namespace and name, with any uid, that ask for or hold something at any gate.
func (g Gates) Keys(name queueing.Key) []queueing.Key {
	var keys []queueing.Key
	for gate := range g {
		keys = append(keys, g.keysAt(gate, name)...)
	}
	return keys
}

func (g Gates) keysAt(gate string, name queueing.Key) []queueing.Key {
	if lister, lists := g[gate].(queueing.KeyLister); lists {
		return lister.KeysFor(name.Kind, name.Namespace, name.Name)
	}
	return nil
}
