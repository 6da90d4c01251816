// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package queuespec finds mistakes in a queue's spec that can be found without looking at other objects. Both the
// reason InvalidSpec of queues and the linter are based on it.
package queuespec
