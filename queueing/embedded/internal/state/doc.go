// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package state holds what the engine knows, and keeps its counts and orders right.
//
//	Hierarchy      the trees of queues with their quota, and the flavors
//	 └─ Tree       the queues below one root, which are decided on together
//	     └─ Queue  a queue that is configured, or only named by an ask or a grant
//	         └─ Class  the asks of a queue with the same needs, as a heap: priority, age, UID
//	Registry       the askers by key, each with its ask, its grant, or both
//	Holders        the grants that are charged
//
// It decides nothing: the packages beside it do.
package state
