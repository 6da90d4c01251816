// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package advise recommends memory, memory overhead, cores and executors for an application, from what Spark
// itself measured in its last run. It is pure: Run has the measurements, wherever they come from (package eventlog reads
// event logs, package rest a driver or a history server), and Advise applies the rules of docs/advise.md.
//
// Nothing is advised below what was seen plus headroom, and what was not measured is named instead of guessed.
package advise
