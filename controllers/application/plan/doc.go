// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package plan plans the start of an application: where it asks for quota, what it asks, and which objects it is made
// of. It reads what the application refers to and makes dry runs, and stores nothing in the cluster.
//
//	Planner ──► Placer, Builder, DryRun ──► Reader
package plan
