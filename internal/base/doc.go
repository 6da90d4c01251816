// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package base is the wing of leaves, which any layer may use: each does one thing, and knows neither queues nor Spark.
// They may import api and each other.
package base
