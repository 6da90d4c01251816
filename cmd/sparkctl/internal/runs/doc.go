// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package runs follows a run of an application: it waits for its end, and copies its logs across attempts. "submit",
// "rerun", "logs" and "schedule run" use it.
package runs
