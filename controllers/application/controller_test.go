// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import "github.com/sparkgate/sparkgate/queueing"

// askedGate holds an ask of every application.
type askedGate struct{ countingGate }

func (*askedGate) KeysFor(kind queueing.Kind, namespace, name string) []queueing.Key {
	return []queueing.Key{{Kind: kind, Namespace: namespace, Name: name, UID: "pi-uid"}}
}
