// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Command sparkctl is the command-line tool of Sparkgate.
//
// Its exit code is 0 if the command succeeds, 1 if it fails, and 2 if its arguments are wrong. Some commands have
// further codes, which their help lists.
package main
