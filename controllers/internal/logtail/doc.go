// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package logtail reads the last lines of a driver's log for the history of its application. The lines are short and
// redacted. It works on a best-effort basis: the caller waits for a few seconds at most, and gets an empty text if
// there is no answer.
package logtail
