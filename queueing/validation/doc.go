// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package validation finds what is wrong with a queue's own spec and can be seen without any other object. It is the
// one function behind the reason InvalidSpec of queues and behind the linter.
package validation
