// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package none implements the gate None, which grants everything at once: whether pods start is up to the scheduler.
package none

import (
	"context"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// Name is the name of the gate in the API.
const Name = "None"

// Gate grants every ask in full and keeps nothing. The zero value is ready to use.
type Gate struct{}

var _ queueing.Gate = Gate{}

// Capabilities implements queueing.Gate.
func (Gate) Capabilities() queueing.Capabilities { return catalog.Of(Name) }

// Sync grants the ask without a flavor and without charging a queue.
func (Gate) Sync(_ context.Context, ask queueing.Ask) (queueing.Verdict, error) {
	grant := &queueing.Grant{Run: ask.Run, Attempt: ask.Attempt, Gate: Name, Inputs: ask.Inputs}
	for _, p := range ask.PodSets {
		grant.PodSets = append(grant.PodSets, queueing.PodSetGrant{Name: p.Name, Count: p.Count, Requests: p.Requests.Clone()})
	}
	return queueing.Verdict{State: queueing.Granted, Reason: queueing.ReasonDelegatedToScheduler, Grant: grant}, nil
}

// Persisted does nothing, because the gate keeps no grants.
func (Gate) Persisted(context.Context, queueing.Key, queueing.Grant) {}

// Release does nothing, because the gate keeps no grants.
func (Gate) Release(context.Context, queueing.Key, queueing.Release) error { return nil }
