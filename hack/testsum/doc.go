// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Command testsum adds up what gotestsum recorded: how many tests passed and failed, which were flaky, and the slowest tests and
// packages.
//
//	testsum -name unit out/tests/unit/*.json    count the events of one suite and keep the counts in out/tests/unit.json
//	testsum unit integration e2e                add up the counts of suites
//
// A test that failed and passed when it was run once more is flaky. It is printed, and the run is not lost; three flaky tests count
// as failed. It exits with 1 if a test failed, if the tests could not be run to their end (-broken), or if no test ran at all.
package main
