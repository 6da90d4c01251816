// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package versitygw holds no code: the go.mod beside it pins the S3 server that tests run, and its `tool` line names the program.
package versitygw
