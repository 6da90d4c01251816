// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package schedule reconciles ScheduledSparkApplications. Each pass observes the schedule and its applications
// (observe.go), lets package tick decide, deletes and creates applications (act.go), writes the status (publish.go),
// and finally deletes applications beyond the history limits.
package schedule
