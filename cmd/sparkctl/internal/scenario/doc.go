// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package scenario reads the input of sparkctl simulate, a stream of YAML documents. Documents of kind SparkQueue and
// SparkFlavor are the initial configuration, those of kind ScheduledSparkApplication create applications, and the one
// without a kind describes what happens. Schedules are followed by package tick, as in the operator.
//
// Queues, flavors and schedules are checked as by sparkctl lint, and the document without a kind is decoded as strictly:
// unknown and duplicate keys are errors. All errors are reported at once, each with its line and a remedy.
package scenario
