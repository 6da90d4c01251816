// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package kueue tests the gate Kueue against the real Kueue with its webhooks, beside a real API server. Drivers are played.
package kueue
