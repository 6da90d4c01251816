// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"

	"github.com/sparkgate/sparkgate/queueing"
)

// askedGate holds an ask of every application.
type askedGate struct{ countingGate }

func (*askedGate) KeysFor(kind, namespace, name string) []queueing.Key {
	return []queueing.Key{{Kind: kind, Namespace: namespace, Name: name, UID: "pi-uid"}}
}

// plainGate never reclaims a grant.
type plainGate struct{}

func (plainGate) Sync(context.Context, queueing.Ask) (queueing.Verdict, error) {
	return queueing.Verdict{}, nil
}
func (plainGate) Capabilities() queueing.Capabilities                           { return queueing.Capabilities{} }
func (plainGate) Persisted(context.Context, queueing.Key, queueing.Grant)       {}
func (plainGate) Release(context.Context, queueing.Key, queueing.Release) error { return nil }
