// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package outage tests outages of the operator: it is down before a job comes, stopped while a job runs, or killed
// between any two of its writes. Its tests run one after the other, because there is only one operator.
package outage
