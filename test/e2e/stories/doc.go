// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package stories tests what a user does and sees: real drivers and executors on a real node, kubectl in the user's hand. Each test
// is named after what is seen. The operator runs all the time; package outage takes it away.
package stories
