// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package testbed has what the tests of all Git tools share: a Git server, a namespace whose node the test plays, and the operator's
// program with the flags and the RBAC of config.
package testbed
