// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package cause finds in the log of a Spark program why it failed: the class and the message of the exception that ended
// it, and of the exceptions that caused that one. A table, remedies.txt, says what to change. It is pure: a text in, a
// line out.
package cause
