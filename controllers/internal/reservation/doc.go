// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package reservation is the only way from an asker to a gate.
//
//	Request ──► Persisted ──► UpdateHolder, Eviction, Resize, Report, Ensure ──► Release ──► Forget
//
// An asker is anything with a queueing.Key: an application, or a pod that belongs to none. It names a gate and says
// what it wants. Only this package checks which of the optional interfaces of package queueing that gate implements.
package reservation
