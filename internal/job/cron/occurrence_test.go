// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cron

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDescribe: what clocks do at each instant between two: the local times that are skipped, and whether a local time comes twice.
func TestDescribe(t *testing.T) {
	for _, tc := range []struct{ name, zone, schedule, from, until, want string }{
		{"skipped", "Europe/Zurich", "30 2 * * *", "2026-03-28T00:00Z", "2026-03-30T12:00Z", "28 02:30, 29 03:00 for 02:30 to 02:30, 30 02:30"},
		{"several skipped", "Europe/Zurich", "*/10 2 * * *", "2026-03-29T00:00Z", "2026-03-29T12:00Z", "29 03:00 for 02:00 to 02:50"},
		{"the end of the gap is named", "Europe/Zurich", "0 3 * * *", "2026-03-29T00:00Z", "2026-03-29T12:00Z", "29 03:00"},
		{"the beginning of the gap is named, and its end", "Europe/Zurich", "0 2,3 * * *", "2026-03-29T00:00Z", "2026-03-29T12:00Z", "29 03:00 for 02:00 to 02:00"},
		{"hourly over a gap", "Europe/Zurich", "0 * * * *", "2026-03-29T00:30Z", "2026-03-29T02:30Z", "29 03:00, 29 04:00"},
		{"repeated", "Europe/Zurich", "0,30 2,3 * * *", "2026-10-24T23:30Z", "2026-10-25T12:00Z", "25 02:00 only, 25 02:30 only, 25 03:00, 25 03:30"},
		{"hourly over the repeated hour", "Europe/Zurich", "15 * * * *", "2026-10-24T23:00Z", "2026-10-25T03:00Z", "25 01:15, 25 02:15 first, 25 02:15 second, 25 03:15"},
		{"every over the repeated hour", "Europe/Zurich", "@every 30m", "2026-10-25T00:15Z", "2026-10-25T02:15Z", "25 02:30 first, 25 02:00 second, 25 02:30 second, 25 03:00"},
		{"half an hour repeated", "Australia/Lord_Howe", "*/15 1 * * *", "2026-04-04T13:30Z", "2026-04-04T20:00Z", "05 01:00, 05 01:15, 05 01:30 only, 05 01:45 only"},
		{"a whole day skipped", "Pacific/Apia", "0 12 * * *", "2011-12-29T00:00Z", "2011-12-31T20:00Z", "29 12:00, 31 00:00 for 12:00 to 12:00, 31 12:00"},
		{"no switches", "UTC", "0 2 * * *", "2026-03-28T00:00Z", "2026-03-29T12:00Z", "28 02:00, 29 02:00"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, err := Parse(tc.schedule, tc.zone)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for at := s.Next(instant(t, tc.from)); at.Before(instant(t, tc.until)); at = s.Next(at) {
				o := s.Describe(at)
				text := o.At.Format("02 15:04") + []string{"", " first", " second", " only"}[o.Repeat]
				if !o.Skipped[0].IsZero() {
					text += fmt.Sprintf(" for %s to %s", o.Skipped[0].Format("15:04"), o.Skipped[1].Format("15:04"))
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("occurrences (-want +got):\n%s", diff)
			}
		})
	}
}
