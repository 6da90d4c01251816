// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package recordings reads what test/record has recorded of real calls of spark-submit. Only tests import it.
package recordings
