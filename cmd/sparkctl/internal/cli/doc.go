// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package cli is what the commands of sparkctl share: streams, flags, the names that they take and complete, the forms of
// their output, their errors with exit codes, and the browser.
package cli
