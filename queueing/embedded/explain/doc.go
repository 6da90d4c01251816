// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package explain shows what the engine knows, for users and for the status of queues: the position of an ask, what
// blocks it and what would unblock it, and the usage of queues.
//
// It changes nothing, and decides nothing. Explanations change with every decision, so they must not be written into a
// status; the state of a queue is made for one.
package explain
