// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package scenario reads the files of sparkctl simulate: a stream of YAML documents, of which those of kind SparkQueue
// and SparkFlavor are the configuration at the beginning, those of kind ScheduledSparkApplication create applications,
// and the one without kind says what happens. Schedules are followed by package tick, as by the operator.
//
// It is strict: keys that it does not know, keys that stand twice, and values that the API server would not let in are
// errors. All that is wrong is reported at once, each with the document and what to do about it.
package scenario
