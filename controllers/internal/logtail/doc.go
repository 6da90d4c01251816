// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package logtail takes the last lines of a driver's log, for the history of its application. They are short, without
// what looks like a secret, and best effort: the caller waits two seconds at the longest, and gets an empty text
// where there is no answer.
package logtail
