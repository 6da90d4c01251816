// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package driverlog reads the beginning or the end of a driver's log, in which the cause of a failure is looked for. It works on a
// best-effort basis: the caller waits for a few seconds at most, and gets an empty text if there is no answer.
package driverlog
