// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package golden compares the results of a test with a file that has the expected text. Only tests import it, and they
// get its flag:
//
//	go test ./internal/spark/render -update    write the results of the tests into their files; review the difference
//
// make golden does this in every package whose tests import this package.
package golden
