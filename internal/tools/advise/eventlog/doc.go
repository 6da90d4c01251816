// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package eventlog reads Spark's measurements from an event log: a file, or the folder of a rolling log
// (spark.eventLog.rolling.enabled, the default since Spark 4.0); as plain text, or compressed with zstd (Spark's
// default) or gzip. It reads events one by one. Of tasks it keeps only the durations, and those only until their stage
// is complete.
//
// The names of events and of their fields are those of Spark's JsonProtocol.
package eventlog
