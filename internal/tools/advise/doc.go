// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package advise recommends memory, memory overhead, cores and executors for an application, based on what Spark itself
// measured in its last run. It is pure: Run has the measurements, whatever their source (package eventlog reads event
// logs, package rest queries a driver or a history server), and Advise applies the rules of docs/advise.md.
//
// It never advises less than the measured value plus headroom, and it reports what was not measured instead of
// guessing.
package advise
