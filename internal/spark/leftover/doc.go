// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package leftover recognizes the objects that the operator has created for an application, also those that no longer
// have an owner.
//
// The objects of attempts go with their application by their owner references. `kubectl delete --cascade=orphan`
// removes those. The objects are then found by their labels, which prove nothing: this package says which of them the
// operator has created. It is pure.
package leftover
