// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package checks has the project's rules that a machine can check and a linter does not know: how heavy the product and
// its parts may be, which package may import which, which words messages may have, licence headers, and what must not be
// in a committed file. Its tests apply them to this repository, as part of make verify.
//
// It imports only the standard library. What is above a limit is in above.txt, a list that only shrinks, or is an
// exception with a reason in exceptions.go; an exception that is not needed is itself a problem.
package checks
