// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package cron computes when a schedule fires. github.com/robfig/cron/v3 reads the five fields and enumerates the local
// times that they name; this package decides which instants those local times are in a time zone:
//
//   - A schedule whose hour field names every hour keeps its rhythm: it fires at each instant whose local time it
//     names. When clocks are set back, it fires in both copies of the repeated hour; when they are set forward, it does
//     not fire in the gap.
//   - Every other schedule means local times. A time that is skipped when clocks are set forward fires at the end of
//     the gap, once even if several times are skipped; a time that occurs twice fires the first time.
//   - "@every" counts from 1970-01-01T00:00:00Z, whatever the time zone: every operator, and every schedule with that
//     interval, agrees on the instants.
//   - If both day fields restrict, a day that either of them names is enough (crontab(5)). '*' and '?' do not restrict;
//     '*/2' does.
//   - A date that never occurs, such as 30 February, is an error.
package cron
