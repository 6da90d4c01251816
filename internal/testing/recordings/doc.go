// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package recordings reads the recordings of real calls of spark-submit that test/record has produced. Only tests
// import it.
package recordings
