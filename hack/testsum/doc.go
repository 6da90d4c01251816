// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Command testsum sums the results that gotestsum recorded: how many tests passed and failed, and which were flaky.
//
//	testsum -name unit out/tests/unit/*.json    count the events of one suite and keep the counts in out/tests/unit.json
//	testsum unit integration e2e                add up the counts of suites
//
// A test that failed and passed when it was run again is flaky. It is printed, and does not fail the run; but from
// three flaky tests on, they count as failed. The command exits with 1 if a test failed, if the tests did not run to
// their end (-broken), or if no test ran at all.
package main
