// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package charts computes the pictures of pages: bars of usage, amounts over time, the stages of a run and the times of a
// schedule. Templates draw them.
package charts
