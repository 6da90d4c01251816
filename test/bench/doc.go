// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Command bench measures the operator, as it is shipped, against a bare client loop that sends the same writes to the
// same API server, and prints figures and ratios. Run it by `make bench`; docs/performance.md says what is measured and
// how.
//
// It does not judge: no figure causes a failure. Absolute numbers depend on the machine; ratios depend on it much less,
// because both sides of a ratio are measured in turns within minutes.
package main
