// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package schedule reconciles ScheduledSparkApplications: it looks at the schedule and its applications (observe.go), has package tick
// decide, deletes and creates applications (act.go), writes the status (publish.go), and only then removes what the history limits
// do not keep.
package schedule
