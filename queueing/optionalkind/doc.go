// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package optionalkind watches objects of other systems that may or may not be installed, and that may be installed
// or removed while the operator runs.
//
// A controller that watches a kind which the cluster does not serve cannot start, or fails for ever. Instead, a Watch
// polls for the kind, watches it as long as it is served, and reports which of the two is the case.
package optionalkind
