// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package reservation

import (
	"context"
	"fmt"

	"github.com/sparkgate/sparkgate/queueing"
)

// Persisted reports to the gate of a grant that its holder has stored the grant.
func (g Gates) Persisted(ctx context.Context, key queueing.Key, grant queueing.Grant) {
	if gate := g[grant.Gate]; gate != nil {
		gate.Persisted(ctx, key, grant)
	}
}

// Declined reports to the gate of a grant that growth beyond held will never be stored.
func (g Gates) Declined(ctx context.Context, key queueing.Key, held queueing.Grant) {
	if gate, declines := g[held.Gate].(queueing.Decliner); declines {
		gate.Decline(ctx, key, held)
	}
}

// Charge charges a grant at its gate for pods that are already running, even if there is no quota. It does nothing if
// the key holds a grant.
func (g Gates) Charge(key queueing.Key, grant queueing.Grant) {
	if gate, charges := g[grant.Gate].(queueing.Charger); charges {
		gate.Charge(key, grant)
	}
}

// Observes reports whether a gate must know the state of the holders of its grants.
func (g Gates) Observes(gate string) bool {
	_, observes := g[gate].(queueing.HolderObserver)
	return observes
}

// UpdateHolder reports the state of the holder to the gate of a grant.
func (g Gates) UpdateHolder(key queueing.Key, grant queueing.Grant, standing queueing.HolderState) {
	if gate, observes := g[grant.Gate].(queueing.HolderObserver); observes {
		gate.UpdateHolder(key, grant.Run, grant.Attempt, standing)
	}
}

// Eviction returns why the gate of a grant reclaims it, or nil if it does not.
func (g Gates) Eviction(key queueing.Key, grant queueing.Grant) *queueing.Eviction {
	if gate, evicts := g[grant.Gate].(queueing.Evictor); evicts {
		return gate.Eviction(key, grant.Run, grant.Attempt)
	}
	return nil
}

// Resize asks the gate of a grant for what the holder wants above its base gang, and returns the holder's allocation.
func (g Gates) Resize(ctx context.Context, key queueing.Key, held queueing.Grant, want queueing.ResizeRequest) queueing.Allocation {
	if gate, resizes := g[held.Gate].(queueing.Resizer); resizes {
		return gate.Resize(ctx, key, held, want)
	}
	return queueing.Allocation{Grant: &held}
}

// Report reports the progress of the attempt that holds a grant to its gate.
func (g Gates) Report(ctx context.Context, gate string, key queueing.Key, progress queueing.Progress) error {
	observer, observes := g[gate].(queueing.ProgressObserver)
	if !observes {
		return nil
	}
	if err := observer.ReportProgress(ctx, key, progress); err != nil {
		return fmt.Errorf("report progress to gate %s: %w", gate, err)
	}
	return nil
}

// Ensures reports whether a gate represents grants by objects that other clients may delete.
func (g Gates) Ensures(gate string) bool {
	_, ensures := g[gate].(queueing.ReservationEnsurer)
	return ensures
}

// Ensure creates the object that represents a grant if it is gone. If it had to, restored is a sentence for users.
func (g Gates) Ensure(ctx context.Context, gate string, granted queueing.Ask) (restored string, err error) {
	if ensurer, ensures := g[gate].(queueing.ReservationEnsurer); ensures {
		return ensurer.EnsureReservation(ctx, granted)
	}
	return "", nil
}
