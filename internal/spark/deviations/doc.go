// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package deviations lists where Sparkgate intentionally differs from spark-submit, with the reasons: in the objects
// that it builds, and in what it refuses and accepts.
//
// Tests compare the lists with recordings of the real client and with docs/deviations.md: nothing may differ that is not
// listed, and every entry has to be shown by a recording.
package deviations
