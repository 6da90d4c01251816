// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package scenario reads the input of sparkctl simulate, a stream of YAML documents. Documents of kind SparkQueue and
// SparkFlavor are the initial configuration, those of kind ScheduledSparkApplication create applications, and the one
// without a kind describes what happens. Schedules are followed by package tick, as in the operator.
//
// Parsing is strict: unknown keys, duplicate keys, and values that the API server would reject are errors. All errors
// are reported at once, each with its document and a remedy.
package scenario
