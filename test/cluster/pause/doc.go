// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Command pause does nothing until it is stopped. It is the sandbox
// container of every pod of the local cluster, and the process that keeps the
// node's private mount namespace alive.
package main
