// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package cron says when a schedule fires. github.com/robfig/cron/v3 reads the five fields and enumerates the local
// times that they name; this package decides what those local times mean in a time zone:
//
//   - A schedule whose hour field names every hour keeps its rhythm: it fires at each instant whose local time it
//     names. In the hour that is repeated when clocks are set back it fires in both, and in a gap it has nothing to
//     fire at.
//   - Every other schedule means local times. One that is skipped when clocks are set forward is due at the end of the
//     gap, where several fall together; one that is repeated is due the first time.
//   - "@every" counts from 1970-01-01T00:00:00Z, whatever the time zone: every operator, and every schedule of that
//     interval, agrees on the instants.
//   - If both day fields restrict, a day that one of them names is enough (crontab(5)). '*' and '?' do not restrict;
//     '*/2' does.
//   - A date that never comes, such as 30 February, is an error.
package cron
