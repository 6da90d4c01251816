// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package schedule reconciles ScheduledSparkApplications. A pass (controller.go) is made of parts. A part has what it may
// use as its fields, and returns what it has found out:
//
//	observer    reads the schedule's applications and checks its spec (observe.go, template.go)
//	tick.Decide decides
//	actor       deletes and creates applications; a live read may change the decision (act.go)
//	publisher   writes the status (publish.go, status.go), then announces and counts it (events.go, metrics.go)
//
// In the end, applications beyond the history limits are deleted. What a process knows ahead of the cache is one record
// for each schedule (memory.go).
package schedule
