// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package apianswer interprets the errors with which the API server refuses a write.
package apianswer
