// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package checks has the project's rules that a machine can check: how large functions and files may be, which package
// may import which, licence headers, and what must not be in a committed file. Its tests apply them to this repository,
// as part of make verify.
//
// It imports only the standard library. An exception to a size limit is one line in exceptions.go and needs a reason;
// an exception that is not needed is itself a problem.
package checks
