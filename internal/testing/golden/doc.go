// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package golden compares what a test produces with a file that holds the expected text. Only tests import it, and thereby get
// its flag:
//
//	go test ./internal/spark/render -update    write what the tests produce into their files; read the difference
//
// make golden does so in every package whose tests import this package.
package golden
