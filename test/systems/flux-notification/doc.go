// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package notification holds no code: the go.mod beside it pins the notification-controller of Flux that tests run, and its `tool` line
// names the program. The sums of github.com/fluxcd/pkg/git stand in go.sum, because not every mirror of the checksum database knows that
// module.
package notification
