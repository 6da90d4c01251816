// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package none is the gate that lets everything in at once: what may start is left to the scheduler, or is not limited.
package none

import (
	"context"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// Name of the gate in the API.
const Name = "None"

// Gate grants every ask in full and holds nothing. The zero value is ready to use.
type Gate struct{}

var _ queueing.Gate = Gate{}

// Capabilities implements queueing.Gate.
func (Gate) Capabilities() queueing.Capabilities { return catalog.Of(Name) }

// Sync grants the ask, without a flavor and without a charge to any queue.
func (Gate) Sync(_ context.Context, ask queueing.Ask) (queueing.Verdict, error) {
	grant := &queueing.Grant{Run: ask.Run, Attempt: ask.Attempt, Gate: Name, Inputs: ask.Inputs}
	for _, p := range ask.PodSets {
		grant.PodSets = append(grant.PodSets, queueing.PodSetGrant{Name: p.Name, Count: p.Count, Requests: p.Requests.Clone()})
	}
	return queueing.Verdict{State: queueing.Granted, Reason: queueing.ReasonDelegatedToScheduler, Grant: grant}, nil
}

// Persisted does nothing: the gate keeps no grants.
func (Gate) Persisted(context.Context, queueing.Key, queueing.Grant) {}

// Release does nothing: the gate keeps no grants.
func (Gate) Release(context.Context, queueing.Key, queueing.Release) error { return nil }
