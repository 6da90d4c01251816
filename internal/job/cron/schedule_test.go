// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cron

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestDaylightSaving: what schedules do when clocks are set forward and back. Each row lists all instants between two instants, as a
// clock in the zone shows them with its offset.
func TestDaylightSaving(t *testing.T) {
	for _, tc := range []struct{ name, zone, schedule, from, until, want string }{
		{"skipped: at the end of the gap", "Europe/Zurich", "30 2 * * *", "2026-03-28T12:00Z", "2026-03-30T12:00Z", "29 03:00+02 30 02:30+02"},
		{"several skipped: once", "Europe/Zurich", "*/10 2 * * *", "2026-03-29T00:00Z", "2026-03-29T12:00Z", "29 03:00+02"},
		{"skipped, and the end of the gap named as well: once", "Europe/Zurich", "0 2,3 * * *", "2026-03-29T00:00Z", "2026-03-29T12:00Z", "29 03:00+02"},
		{"every two hours over a gap", "Europe/Zurich", "0 */2 * * *", "2026-03-28T23:00Z", "2026-03-29T05:00Z", "29 03:00+02 29 04:00+02 29 06:00+02"},
		{"hourly over a gap", "Europe/Zurich", "15 * * * *", "2026-03-28T23:30Z", "2026-03-29T03:00Z", "29 01:15+01 29 03:15+02 29 04:15+02"},
		{"half-hourly over a gap", "Europe/Zurich", "*/30 * * * *", "2026-03-29T00:15Z", "2026-03-29T01:45Z", "29 01:30+01 29 03:00+02 29 03:30+02"},
		{"repeated: the first time", "Europe/Zurich", "30 2 * * *", "2026-10-24T12:00Z", "2026-10-26T12:00Z", "25 02:30+02 26 02:30+01"},
		{"several repeated: the first time each", "Europe/Zurich", "*/20 2 * * *", "2026-10-24T23:00Z", "2026-10-25T12:00Z", "25 02:00+02 25 02:20+02 25 02:40+02"},
		{"hourly over the repeated hour", "Europe/Zurich", "15 * * * *", "2026-10-24T23:30Z", "2026-10-25T03:00Z", "25 02:15+02 25 02:15+01 25 03:15+01"},
		{"as a list of all hours", "Europe/Zurich", "15 0-23 * * *", "2026-10-24T23:30Z", "2026-10-25T03:00Z", "25 02:15+02 25 02:15+01 25 03:15+01"},
		{"New York, skipped", "America/New_York", "30 2 * * *", "2026-03-08T00:00Z", "2026-03-09T12:00Z", "08 03:00-04 09 02:30-04"},
		{"New York, repeated", "America/New_York", "30 1 * * *", "2026-11-01T00:00Z", "2026-11-02T12:00Z", "01 01:30-04 02 01:30-05"},
		{"Lord Howe, a gap of half an hour", "Australia/Lord_Howe", "15 2 * * *", "2026-10-03T00:00Z", "2026-10-04T20:00Z", "04 02:30+11 05 02:15+11"},
		{"Lord Howe, half an hour repeated", "Australia/Lord_Howe", "45 1 * * *", "2026-04-04T00:00Z", "2026-04-05T20:00Z", "05 01:45+11 06 01:45+1030"},
		{"Lord Howe, hourly over the gap", "Australia/Lord_Howe", "45 * * * *", "2026-10-03T14:30Z", "2026-10-03T17:00Z", "04 01:45+1030 04 02:45+11 04 03:45+11"},
		{"Casablanca, negative daylight saving begins", "Africa/Casablanca", "30 2 * * *", "2026-02-14T12:00Z", "2026-02-16T12:00Z", "15 02:30+01 16 02:30+00"},
		{"Casablanca, negative daylight saving ends", "Africa/Casablanca", "30 2 * * *", "2026-03-21T12:00Z", "2026-03-23T12:00Z", "22 03:00+01 23 02:30+01"},
		{"São Paulo, midnight skipped", "America/Sao_Paulo", "0 0 * * *", "2018-11-03T12:00Z", "2018-11-05T12:00Z", "04 01:00-02 05 00:00-02"},
		{"São Paulo gave it up in 2019", "America/Sao_Paulo", "0 0 * * *", "2019-11-02T12:00Z", "2019-11-04T12:00Z", "03 00:00-03 04 00:00-03"},
		{"Apia skipped a day", "Pacific/Apia", "0 12 * * *", "2011-12-29T00:00Z", "2011-12-31T20:00Z", "29 12:00-10 31 00:00+14 31 12:00+14"},
		{"every counts seconds", "Europe/Zurich", "@every 90m", "2026-03-29T00:00Z", "2026-03-29T04:00Z", "29 03:30+02 29 05:00+02"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, err := Parse(tc.schedule, tc.zone)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for at := s.Next(instant(t, tc.from)); at.Before(instant(t, tc.until)); at = s.Next(at) {
				got = append(got, at.Format("02 15:04-07"))
				if _, offset := at.Zone(); offset%3600 != 0 {
					got[len(got)-1] = at.Format("02 15:04-0700")
				}
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("instants (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPrev: the instant before another one is the last that Next has returned until then, whatever the pattern.
func TestPrev(t *testing.T) {
	for _, tc := range []struct{ zone, schedule, from, until string }{
		{"Europe/Zurich", "30 2 * * *", "2026-03-20T00:00Z", "2026-11-01T00:00Z"},
		{"Europe/Zurich", "15 * * * *", "2026-10-24T00:00Z", "2026-10-26T00:00Z"},
		{"Australia/Lord_Howe", "*/7 1,2 * * *", "2026-10-02T00:00Z", "2026-10-06T00:00Z"},
		{"Pacific/Apia", "0 12 * * *", "2011-12-25T00:00Z", "2012-01-03T00:00Z"},
		{"UTC", "*/10 * 1 1 *", "2025-12-31T23:00Z", "2027-01-01T01:00Z"},
		{"UTC", "0 0 29 2 *", "2020-01-01T00:00Z", "2030-01-01T00:00Z"},
		{"UTC", "@every 90s", "2026-01-01T00:00Z", "2026-01-01T02:00Z"},
	} {
		s, err := Parse(tc.schedule, tc.zone)
		if err != nil {
			t.Fatal(err)
		}
		last := s.Next(instant(t, tc.from))
		for at := s.Next(last); at.Before(instant(t, tc.until)); at = s.Next(at) {
			between := last.Add(at.Sub(last) / 2)
			for _, before := range []time.Time{at, last.Add(1), between} {
				if got := s.Prev(before); !got.Equal(last) || got.Format(time.RFC3339) != last.Format(time.RFC3339) {
					t.Fatalf("%q in %s: before %s is %s, want %s", tc.schedule, tc.zone, before, got, last)
				}
			}
			if !s.Fires(at) || s.Fires(between.Add(1)) || s.Fires(at.Add(1)) || s.Fires(at.Add(-1)) {
				t.Fatalf("%q in %s: fires at %s: %t, and around it", tc.schedule, tc.zone, at, s.Fires(at))
			}
			last = at
		}
	}
}

// TestLocalTimes: a local time means the instant at which a schedule of local times fires for it.
func TestLocalTimes(t *testing.T) {
	s, err := Parse("30 2 * * *", "Europe/Zurich")
	if err != nil {
		t.Fatal(err)
	}
	for local, want := range map[string]string{
		"2026-03-28T02:30Z": "2026-03-28T02:30:00+01:00",
		"2026-03-29T02:30Z": "2026-03-29T03:00:00+02:00",
		"2026-10-25T02:30Z": "2026-10-25T02:30:00+02:00",
	} {
		if got := s.At(instant(t, local)).Format(time.RFC3339); got != want || !s.Fires(s.At(instant(t, local))) {
			t.Errorf("%s is %s, want %s", local, got, want)
		}
	}
}

// TestDays: what the two day fields mean together, and dates that are rare.
func TestDays(t *testing.T) {
	for schedule, want := range map[string]string{
		"0 0 13 * 5":      "Fri 2026-01-02 Fri 2026-01-09 Tue 2026-01-13 Fri 2026-01-16", // either
		"0 0 13 * *":      "Tue 2026-01-13 Fri 2026-02-13 Fri 2026-03-13 Mon 2026-04-13",
		"0 0 */10 * 1":    "Mon 2026-01-05 Sun 2026-01-11 Mon 2026-01-12 Mon 2026-01-19", // either
		"0 0 29 2 *":      "Tue 2028-02-29 Sun 2032-02-29 Fri 2036-02-29 Wed 2040-02-29",
		"0 0 31 * *":      "Sat 2026-01-31 Tue 2026-03-31 Sun 2026-05-31 Fri 2026-07-31",
		"@weekly":         "Sun 2026-01-04 Sun 2026-01-11 Sun 2026-01-18 Sun 2026-01-25",
		"@monthly":        "Sun 2026-02-01 Sun 2026-03-01 Wed 2026-04-01 Fri 2026-05-01",
		"0 0 1 jan-mar ?": "Sun 2026-02-01 Sun 2026-03-01 Fri 2027-01-01 Mon 2027-02-01",
	} {
		s, err := Parse(schedule, "")
		if err != nil {
			t.Fatal(err)
		}
		at := instant(t, "2026-01-01T00:00Z")
		var got []string
		for range 4 {
			at = s.Next(at)
			got = append(got, at.Format("Mon 2006-01-02"))
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", schedule, diff)
		}
	}
}

func TestMistakes(t *testing.T) {
	for _, tc := range []struct{ schedule, zone, want string }{
		{"0 0 30 2 *", "", "never fires"},
		{"0 0 31 4,6,9,11 *", "", "never fires"},
		{"* * * *", "", "4 fields instead of five"},
		{"0 * * * * *", "", "6 fields instead of five"},
		{"", "", "0 fields"},
		{"61 * * * *", "", `the minute "61"`},
		{"0 24 * * *", "", `the hour "24"`},
		{"0 0 0 * *", "", `the day of month "0"`},
		{"0 0 * 13 *", "", `the month "13"`},
		{"0 0 * * 7", "", `the day of week "7"`},
		{"5-1 * * * *", "", `the minute "5-1"`},
		{"*/0 * * * *", "", `the minute "*/0"`},
		{"-1 * * * *", "", `the minute "-1"`},
		{"99999999999999999999 * * * *", "", "the minute"},
		{"@every 5s", "", "at least 1m"},
		{"@every -1h", "", "at least 1m"},
		{"@every 9000h", "", "at most 8784h"},
		{"@every 61s500ms", "", "whole number of seconds"},
		{"@every day", "", `"day" is not a duration`},
		{"@every", "", "@every"},
		{"@reboot", "", "known are @yearly"},
		{"TZ=UTC 0 0 * * *", "", "write it in timeZone"},
		{"CRON_TZ=UTC 0 0 * * *", "", "write it in timeZone"},
		{"@daily", "Local", "depends on where it runs"},
		{"@daily", "Europe/Zürich", "not in the IANA time zone database"},
		{"@daily", "../etc/passwd", "not in the IANA time zone database"},
		{"@daily", "CEST", "not in the IANA time zone database"},
	} {
		_, err := Parse(tc.schedule, tc.zone)
		var mistake *Error
		switch mistake, _ = err.(*Error); {
		case mistake == nil:
			t.Errorf("%q in %q: error %v", tc.schedule, tc.zone, err)
		case !strings.Contains(mistake.Problem, tc.want):
			t.Errorf("%q in %q: %v; want %q", tc.schedule, tc.zone, mistake, tc.want)
		}
	}
}

func instant(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02T15:04Z", text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
