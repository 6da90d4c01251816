// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package outage tests what happens when the operator is away: stopped before a job comes, stopped while it runs, killed between any
// two of its writes. Its tests run one after the other, for there is one operator.
package outage
