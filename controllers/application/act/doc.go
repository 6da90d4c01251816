// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package act makes the writes of a pass over an application: the objects of an attempt, scheduling gates, the finalizer
// and the status, and the events about them. Each part says in its fields what it may touch, and returns what it has
// found out.
package act
