// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package none is the gate that lets everything in at once: who may start is left to the scheduler, or to nobody.
package none

import (
	"context"

	"github.com/sparkgate/sparkgate/queueing"
)

// Name of the gate in the API.
const Name = "None"

// Gate grants every ask in full and holds nothing. The zero value is ready to use.
type Gate struct{}

var _ queueing.Gate = Gate{}

// Sync grants the ask, without a flavor and without a charge to any queue.
func (Gate) Sync(_ context.Context, ask queueing.Ask) (queueing.Verdict, error) {
	grant := &queueing.Grant{Run: ask.Run, Attempt: ask.Attempt, Gate: Name, Inputs: ask.Inputs}
	for _, p := range ask.PodSets {
		grant.PodSets = append(grant.PodSets, queueing.PodSetGrant{Name: p.Name, Count: p.Count, Requests: p.Requests.Clone()})
	}
	return queueing.Verdict{State: queueing.Granted, Reason: queueing.ReasonDelegatedToScheduler, Grant: grant}, nil
}

// Confirm does nothing: the gate keeps no grants.
func (Gate) Confirm(queueing.Key, int64, int64) {}

// Release does nothing: the gate keeps no grants.
func (Gate) Release(context.Context, queueing.Key) error { return nil }
