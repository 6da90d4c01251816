// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package metricseries bounds the number of series of the operator's metrics. Applications name queues freely, so only
// the names of queues that are configured become values of labels; any other name is counted as Unknown. The series of
// a queue or a namespace go with it.
//
// It must not import anything else of the operator.
package metricseries
