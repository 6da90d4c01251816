// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package scenarios tests what a user does and sees: real drivers and executors on a real node, and kubectl. Each test
// is named after what the user sees. The operator runs all the time; package outage has the tests that stop it.
package scenarios
