// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package optionalkind watches objects of batch schedulers that may be installed or not, and may come and go while the
// operator runs.
//
// A controller that watches a kind which its cluster does not serve cannot start, or fails for ever. A Watch asks for
// the kind from time to time instead, watches it for as long as it is served, and says which of the two is the case.
package optionalkind
