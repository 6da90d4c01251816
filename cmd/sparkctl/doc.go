// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Command sparkctl is the command-line tool of Sparkgate.
//
// Its exit code is 0 for success, 1 if the command has failed, 2 if it was called in a wrong way.
package main
