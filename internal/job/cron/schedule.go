// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cron

import (
	"sort"
	"time"

	robfig "github.com/robfig/cron/v3"
)

// Schedule is a sequence of instants. It is immutable, and safe for concurrent use.
type Schedule struct {
	zone *time.Location
	// every is the interval of an "@every" schedule; fields is then nil.
	every time.Duration
	// fields enumerates local times as if they were UTC, where no time is skipped or repeated.
	fields *robfig.SpecSchedule
	// rhythmic reports whether the hour field names every hour.
	rhythmic bool
}

// Next returns the first instant after the given one, in the time zone of the schedule; the zero time if there is none
// within horizon.
func (s *Schedule) Next(after time.Time) time.Time {
	switch {
	case s.every > 0:
		interval := int64(s.every / time.Second)
		return time.Unix((after.Unix()/interval+1)*interval, 0).In(s.zone)
	case s.rhythmic:
		return s.nextInPeriods(after)
	}
	return s.nextLocal(after)
}

// Prev returns the last instant before the given one; the zero time if there is none within horizon.
func (s *Schedule) Prev(before time.Time) time.Time {
	const farthest = horizon * 366 * 24 * time.Hour
	for back := time.Minute; back < 2*farthest; back *= 2 {
		from := before.Add(-back).Truncate(time.Second)
		if !s.firesBetween(from, before) {
			continue
		}
		// The schedule fires after each earlier second, and not after this one.
		n := sort.Search(int(back/time.Second)+1, func(n int) bool { return !s.firesBetween(from.Add(seconds(n)), before) })
		return from.Add(seconds(n)).In(s.zone)
	}
	return time.Time{}
}

// firesBetween reports whether the schedule fires between two instants, neither of them included.
func (s *Schedule) firesBetween(after, before time.Time) bool {
	next := s.Next(after)
	return !next.IsZero() && next.Before(before)
}

// Fires reports whether the schedule fires at an instant.
func (s *Schedule) Fires(at time.Time) bool { return s.Next(at.Add(-time.Second)).Equal(at) }

// In returns an instant in the time zone of the schedule.
func (s *Schedule) In(at time.Time) time.Time { return at.In(s.zone) }

// At returns the instant that a local time means, which is written as UTC: the end of the gap if the time is skipped,
// and the first time if it is repeated.
func (s *Schedule) At(local time.Time) time.Time { return s.instant(local) }

// horizon is the number of years that Next looks ahead. 29 February falls on a given weekday every 28 years, or after
// 40 years across the turn of a century.
const horizon = 50

// nextNamed returns the first local time after the given one that the fields name. Both are written as UTC.
func (s *Schedule) nextNamed(after time.Time) time.Time {
	for range horizon / 5 {
		// robfig's Next gives up after five years.
		if next := s.fields.Next(after); !next.IsZero() {
			return next
		}
		after = after.AddDate(5, 0, 0)
	}
	return time.Time{}
}

// nextLocal is Next for a schedule that means local times.
func (s *Schedule) nextLocal(after time.Time) time.Time {
	for local := s.nextNamed(localTime(after.In(s.zone))); !local.IsZero(); local = s.nextNamed(local) {
		if at := s.instant(local); at.After(after) {
			return at
		}
	}
	return time.Time{}
}

// nextInPeriods is Next for a schedule that keeps its rhythm. It goes through one period of constant offset after the
// other.
func (s *Schedule) nextInPeriods(after time.Time) time.Time {
	at := after.In(s.zone)
	for from := localTime(at); ; {
		local := s.nextNamed(from)
		if local.IsZero() {
			return local
		}
		_, offset := at.Zone()
		next := local.Add(-seconds(offset)).In(s.zone)
		end := endOfPeriod(at)
		if end.IsZero() || next.Before(end) {
			return next
		}
		at = end
		// The first instant of the period may be named.
		from = localTime(at).Add(-1)
	}
}

// instant returns the first instant with a local time; the end of the gap for a local time that is skipped.
func (s *Schedule) instant(local time.Time) time.Time {
	at := local.Add(-farthestEast).In(s.zone)
	for {
		_, offset := at.Zone()
		start, _ := at.ZoneBounds()
		end := endOfPeriod(at)
		next := local.Add(-seconds(offset)).In(s.zone)
		switch {
		case !start.IsZero() && next.Before(start):
			return start.In(s.zone)
		case end.IsZero() || next.Before(end):
			return next
		}
		at = end
	}
}

// endOfPeriod returns an instant after the given one up to which the offset of its zone is constant; the zero time if
// it never changes again.
func endOfPeriod(at time.Time) time.Time {
	_, end := at.ZoneBounds()
	// Go 1.26 on 31 December of leap years for which the database has a rule, but no table: 2040 and later.
	if !end.IsZero() && !end.After(at) {
		return at.Add(24 * time.Hour)
	}
	return end
}

// farthestEast is more than any zone has ever been ahead of UTC.
const farthestEast = 16 * time.Hour

// localTime returns the local time at an instant, written as UTC.
func localTime(at time.Time) time.Time {
	_, offset := at.Zone()
	return at.UTC().Add(seconds(offset))
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
