// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package requeue says when a pass over an application is to be repeated.
package requeue
