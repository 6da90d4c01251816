// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package metricseries bounds the number of series in the operator's metrics. Applications can name any queue, so only
// names of configured queues become label values, and all others are counted as Unknown. The series of a queue or a
// namespace are deleted with it.
//
// The package must not import anything else of the operator.
package metricseries
