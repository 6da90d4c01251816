// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package notify sends events about applications to Flux's notification-controller, so that its Alerts reach users.
//
//	Notify ──► queue of 256 events ──► one sender, which retries a few times ──► POST
//
// Notify never blocks: a receiver that hangs, fails or is missing can lose events, but never delays a decision. Lost
// events are counted. Events are also in the Kubernetes API, and the state is in the conditions.
package notify
