// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package notify reports to Flux's notification-controller what becomes of applications, so that its Alerts reach
// people.
//
//	Notify ──► line of at most 256, the oldest falls out ──► one sender, which tries again a few times ──► POST
//
// Notify never waits: a receiver that hangs, fails or is absent costs events, and never a decision. What is lost is
// counted. Events are also in the Kubernetes API, and the state is in the conditions.
package notify
