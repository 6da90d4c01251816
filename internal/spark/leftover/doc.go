// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package leftover recognizes the objects that the operator created for an application, including those that have lost
// their owner.
//
// Objects of attempts are deleted with their application, because of their owner references. `kubectl delete
// --cascade=orphan` removes these references. The objects can then be found by their labels, but labels prove nothing;
// this package decides which of the objects the operator has created. It is pure.
package leftover
