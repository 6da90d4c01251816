// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cron

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/internal/testing/randtest"
)

// oracle computes when a schedule fires by looking at the clock in every minute. It knows the fields as sets and parses
// no text.
type oracle struct {
	zone   *time.Location
	fields [5]map[int]bool // minute, hour, day of month, month, day of week; nil is '*'
}

func (o oracle) names(local time.Time) bool {
	in := func(i, value int) bool { return o.fields[i] == nil || o.fields[i][value] }
	day := in(2, local.Day()) && in(4, int(local.Weekday()))
	if o.fields[2] != nil && o.fields[4] != nil {
		day = in(2, local.Day()) || in(4, int(local.Weekday()))
	}
	return in(0, local.Minute()) && in(1, local.Hour()) && in(3, int(local.Month())) && day
}

// between looks at every minute from one instant to another, exclusive, and returns those at which the schedule fires.
func (o oracle) between(from, until time.Time) (found []time.Time) {
	rhythmic := o.fields[1] == nil || len(o.fields[1]) == 24
	// Start a day earlier, to know what the clock has shown before.
	begin := from.Add(-26 * time.Hour).Truncate(time.Minute)
	latest := clock(begin.Add(-time.Minute).In(o.zone))
	for at := begin; at.Before(until); at = at.Add(time.Minute) {
		local := clock(at.In(o.zone))
		fires := false
		if rhythmic {
			fires = o.names(local)
		} else {
			// These are the local times that the clock shows for the first time, or has skipped.
			for ; latest.Before(local); latest = latest.Add(time.Minute) {
				fires = fires || o.names(latest.Add(time.Minute))
			}
		}
		if fires && at.After(from) {
			found = append(found, at)
		}
	}
	return found
}

func clock(at time.Time) time.Time {
	return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), 0, 0, time.UTC)
}

// randomField returns a field as text and as a set.
func randomField(r *rand.Rand, low, high int) (string, map[int]bool) {
	set, texts := map[int]bool{}, []string{}
	switch r.IntN(4) {
	case 0:
		return "*", nil
	case 1:
		step := 2 + r.IntN(high-low)
		for v := low; v <= high; v += step {
			set[v] = true
		}
		return fmt.Sprintf("*/%d", step), set
	}
	for range 1 + r.IntN(3) {
		a := low + r.IntN(high-low+1)
		b := a + r.IntN(high-a+1)
		if r.IntN(2) == 0 {
			b = a
		}
		for v := a; v <= b; v++ {
			set[v] = true
		}
		texts = append(texts, fmt.Sprintf("%d-%d", a, b))
	}
	return strings.Join(texts, ","), set
}

// zones are zones whose clocks were changed in unusual ways, and some usual ones.
var zones = []string{
	"UTC", "Europe/Zurich", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "America/Sao_Paulo", "Pacific/Apia", "Asia/Kathmandu",
	"Europe/Dublin", "America/Havana", "Africa/Cairo", "Asia/Tehran", "Antarctica/Troll", "Pacific/Chatham", "America/Nuuk", "Asia/Pyongyang", "Africa/Juba",
}

// TestAgainstEveryMinute compares random schedules with an enumeration of all minutes around instants at which clocks were set.
func TestAgainstEveryMinute(t *testing.T) {
	randtest.Each(t, 500, func(seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		name := zones[r.IntN(len(zones))]
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		o, texts := oracle{zone: zone}, []string{}
		for i, limits := range [5][2]int{{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 6}} {
			text, set := randomField(r, limits[0], limits[1])
			if i >= 2 && r.IntN(2) == 0 {
				text, set = "*", nil // otherwise hardly any fires in a few days
			}
			texts, o.fields[i] = append(texts, text), set
		}
		text := strings.Join(texts, " ")
		s, err := Parse(text, name)
		if err != nil {
			return // 31 June
		}
		from := aroundSwitch(r, zone)
		until := from.Add(72 * time.Hour)
		want := o.between(from, until)
		at := from
		for i := 0; ; i++ {
			at = s.Next(at)
			if !at.Before(until) && i == len(want) {
				break
			}
			if i >= len(want) || !at.Equal(want[i]) {
				t.Fatalf("%q in %s after %s: instant %d is %s, want %s", text, name, from.In(zone), i, at, want[min(i, len(want)):])
			}
		}
	})
}

// aroundSwitch returns an instant up to two days before a change of the clocks of a zone, if it has one.
func aroundSwitch(r *rand.Rand, zone *time.Location) time.Time {
	at := time.Date(2005+r.IntN(60), 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(r.IntN(366*24)) * time.Hour)
	if _, end := at.In(zone).ZoneBounds(); !end.IsZero() && end.Sub(at) < 3*366*24*time.Hour {
		at = end
	}
	return at.Add(-time.Duration(r.IntN(48*60*60)) * time.Second).UTC()
}

// TestCenturies: in every zone there is always a next instant, even in years for which the database has no table. A seed
// is a zone.
func TestCenturies(t *testing.T) {
	randtest.Each(t, 4, func(seed uint64) {
		name := zones[seed%uint64(len(zones))]
		for _, text := range []string{"30 2 * * *", "30 * 31 12 *"} {
			s, err := Parse(text, name)
			if err != nil {
				t.Fatal(err)
			}
			for at := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2200; {
				next := s.Next(at)
				if !next.After(at) || next.Sub(at) > 366*24*time.Hour {
					t.Fatalf("%q in %s: after %s comes %s", text, name, at, next)
				}
				at = next
			}
		}
	})
}

// BenchmarkNext measures the cost of a schedule that is due once a night.
func BenchmarkNext(b *testing.B) {
	s, err := Parse("30 2 * * *", "Europe/Zurich")
	if err != nil {
		b.Fatal(err)
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for b.Loop() {
		at = s.Next(at)
	}
}
