// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package eventlog reads what Spark measured out of an event log: a file, or the folder of a log that rolls
// (spark.eventLog.rolling.enabled, the default since Spark 4.0); as text, or compressed with zstd (Spark's default) or
// gzip. It reads events one by one, and remembers of tasks only the durations of stages that are not complete.
//
// The names of events and of their fields are those of Spark's JsonProtocol.
package eventlog
