// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Command bench measures the operator, as it is shipped, against a bare client loop that makes the same writes on the same API
// server, and prints figures and ratios. Run it by `make bench`; docs/performance.md says what is measured and how.
//
// It judges nothing: no figure makes it fail. Absolute numbers depend on the machine; the ratios do so much less, because both sides
// of a ratio were measured in turns within minutes.
package main
