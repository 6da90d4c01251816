// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Command testsum runs go test -json and prints what a person needs: a line for each package, the whole output of what
// failed, and how many tests ran. It keeps the counts, so that several suites can be added up.
//
//	testsum -name unit -dir out/tests -- go test -json ./...
//	testsum -dir out/tests unit integration e2e
//
// It ends with 1 if anything failed, if the command failed, or if no test ran at all.
package main
