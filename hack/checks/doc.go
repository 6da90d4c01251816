// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package checks holds the rules of the house that a machine can check: how large functions and files may be, which package
// may import which, licence headers, and what must not be in a committed file. Its tests apply them to this repository;
// they run in make verify.
//
// It imports the standard library only. An exception to a size limit is one line in exceptions.go and needs a reason; one that
// is no longer needed is itself a problem.
package checks
