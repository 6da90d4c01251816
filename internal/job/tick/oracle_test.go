// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package tick

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// minutes enumerates the instants of a schedule minute by minute. It knows the fields as sets, parses no text, and uses
// only the offsets of the zone database.
type minutes struct {
	zone   *time.Location
	fields [5]map[int]bool // minute, hour, day of month, month, day of week; nil is '*'
	// every is the number of seconds of an "@every" schedule; else 0.
	every int64
	// at is the last minute that was considered, since 1970; latest is the latest local minute that a clock has shown
	// until then.
	at, latest int64
	// offset is in minutes, for the quarter of an hour that contains at.
	offset int64
}

// from starts after an instant.
func (m *minutes) from(unix int64) {
	m.at = unix / 60
	m.latest = m.at - 26*60
	for at := m.at - 26*60; at <= m.at; at++ {
		m.latest = max(m.latest, m.local(at))
	}
}

func (m *minutes) local(at int64) int64 {
	if at%15 == 0 || at != m.at+1 {
		_, seconds := time.Unix(at*60, 0).In(m.zone).Zone()
		m.offset = int64(seconds) / 60
	}
	return at + m.offset
}

// next returns the next instant; 0 if there is none up to the given one.
func (m *minutes) next(after, until int64) int64 {
	if m.every > 0 {
		if at := (after/m.every + 1) * m.every; at <= until {
			return at
		}
		return 0
	}
	for (m.at+1)*60 <= until {
		local := m.local(m.at + 1)
		m.at++
		fires := false
		// Such a schedule keeps its rhythm.
		if m.fields[1] == nil || len(m.fields[1]) == 24 {
			fires = m.names(local)
			m.latest = max(m.latest, local)
		} else {
			// These are the local times that the clock shows for the first time, or has skipped.
			for ; m.latest < local; m.latest++ {
				fires = m.names(m.latest+1) || fires
			}
		}
		if fires && m.at*60 > after {
			return m.at * 60
		}
	}
	return 0
}

func (m *minutes) names(local int64) bool {
	in := func(i int, value int64) bool { return m.fields[i] == nil || m.fields[i][int(value)] }
	if !in(0, local%60) || !in(1, local/60%24) {
		return false
	}
	days := local / (24 * 60)
	date := time.Unix(days*86400, 0).UTC()
	ofMonth, ofWeek := in(2, int64(date.Day())), in(4, (days+4)%7)
	both := ofMonth && ofWeek
	if m.fields[2] != nil && m.fields[4] != nil {
		both = ofMonth || ofWeek
	}
	return both && in(3, int64(date.Month()))
}

// due is a tick that has not been decided yet.
type due struct {
	at      int64
	created bool
}

// oracle computes what has to become of every tick. It keeps a list of the ticks that are due, and goes through all of
// it each time.
type oracle struct {
	spec *v1alpha1.ScheduledSparkApplicationSpec
	// minutes are those of the schedule at the last look, and next those of the schedule as it is.
	minutes, next *minutes
	// seen are the schedule and the zone of the last look.
	seen string
	// mistaken reports whether the schedule has a mistake; state is follows, suspended or mistaken at the last look.
	mistaken bool
	state    string
	// settled is the time up to which nothing is due.
	settled int64
	// looked is the time up to which ticks are in the list.
	looked int64
	list   []due
	// recorded reports whether a look has been recorded; a change counts only after that.
	recorded bool
	alive    map[string]*fate
	outcome  map[int64]string
}

// look decides the ticks that are due, until one of them has to wait or is created.
func (o *oracle) look(w *predicted, now, since int64) {
	state := "follows"
	switch {
	case o.spec.Suspend:
		state = "suspended"
	case o.mistaken:
		state = "mistaken"
	}
	if edited := o.seen != o.spec.Schedule+o.spec.TimeZone; edited || state != o.state {
		if o.recorded {
			o.drop(state, now)
			resumed := state == "follows" && o.state != "follows"
			if o.settled = max(o.settled, now); resumed && o.settled-now > int64(ClockJump/time.Second) {
				o.settled = now
			}
		}
		o.list, o.state, o.seen = nil, state, o.spec.Schedule+o.spec.TimeZone
		o.looked, o.minutes = o.settled, o.next
		o.minutes.from(o.looked)
	}
	if state != "follows" {
		o.recorded = true
		return
	}
	for at := o.minutes.next(o.looked, now); at != 0; at = o.minutes.next(o.looked, now) {
		o.list = append(o.list, due{at: at, created: strings.HasPrefix(o.outcome[at], "created")})
		o.looked = at
	}
	for o.one(w, now, since) {
	}
}

// drop decides the ticks that were due when the schedule was changed: none is run.
func (o *oracle) drop(state string, now int64) {
	if o.state == "suspended" || o.state == "follows" && state == "suspended" {
		return
	}
	reason := v1alpha1.MissedScheduleChanged
	if o.state == "mistaken" || state == "mistaken" {
		reason = v1alpha1.MissedInvalidSpec
	}
	for at := o.minutes.next(o.looked, now); at != 0; at = o.minutes.next(at, now) {
		o.list = append(o.list, due{at: at, created: strings.HasPrefix(o.outcome[at], "created")})
	}
	for _, d := range o.list {
		if d.at <= now && !d.created {
			o.outcome[d.at] = reason
		}
	}
}

// one goes through the list until an application is created, and reports whether there may be more to do.
func (o *oracle) one(w *predicted, now, since int64) bool {
	passed := map[int64]string{}
	for i := range o.list {
		d := &o.list[i]
		if d.at > now {
			o.settle(i, passed)
			return false
		}
		name := fmt.Sprintf("s-%d", d.at/60)
		if reason := o.passOver(i, now, since); reason != "" {
			passed[d.at] = reason
			continue
		}
		if o.waits(i, now, since, w) {
			o.settle(i, passed)
			return false
		}
		if !d.created && o.spec.ConcurrencyPolicy == v1alpha1.ConcurrencyForbid && o.anotherThan(name) {
			passed[d.at] = v1alpha1.MissedConcurrencyForbidden
			continue
		}
		if !d.created {
			if w.isRefused(name) {
				// The status write has failed.
				return false
			}
			d.created = true
			o.alive[name] = w.fateOf(name)
			o.outcome[d.at] = fmt.Sprintf("created at %d", now)
			if w.crashes(name) {
				return false
			}
		}
		o.settle(i+1, passed)
		return true
	}
	o.settle(len(o.list), passed)
	return false
}

// settle records what became of the first n ticks.
func (o *oracle) settle(n int, passed map[int64]string) {
	o.recorded = true
	for at, reason := range passed {
		o.outcome[at] = reason
	}
	if n > 0 {
		o.settled = o.list[n-1].at
		o.list = o.list[n:]
	}
}

// passOver returns the reason why tick i of the list is not run.
func (o *oracle) passOver(i int, now, since int64) string {
	d := o.list[i]
	if d.created {
		return ""
	}
	if deadline := o.spec.StartingDeadline; deadline != nil && time.Duration(now-d.at)*time.Second > deadline.Duration {
		return v1alpha1.MissedStartingDeadlineExceeded
	}
	replaced := ""
	if o.spec.ConcurrencyPolicy == v1alpha1.ConcurrencyReplace && o.nextIsDue(i, now) {
		replaced = v1alpha1.MissedReplaced
	}
	if o.isOneOfMany(i, now, since) {
		replaced = v1alpha1.MissedNotFollowed
	}
	if d.at > since {
		return replaced
	}
	younger := 0
	for _, other := range o.list[i+1:] {
		if other.at <= since && other.at <= now {
			younger++
		}
	}
	may := map[v1alpha1.CatchUpPolicy]int{v1alpha1.CatchUpNone: 0, v1alpha1.CatchUpLast: 1, v1alpha1.CatchUpAll: 10}
	if younger >= may[o.spec.CatchUp] {
		return v1alpha1.MissedOperatorDown
	}
	laterOne := slices.ContainsFunc(o.list[i+1:], func(other due) bool { return other.created && other.at <= now })
	if o.spec.CatchUp == v1alpha1.CatchUpLast || laterOne {
		return replaced
	}
	return ""
}

// isOneOfMany reports whether there are ten ticks after tick i of the list, all of which would start at once.
func (o *oracle) isOneOfMany(i int, now, since int64) bool {
	if o.list[i].at <= since && o.spec.CatchUp != v1alpha1.CatchUpLast {
		return false
	}
	after := 0
	for _, other := range o.list[i+1:] {
		if other.at <= now {
			after++
		}
	}
	return after >= 10 && o.spec.ConcurrencyPolicy == v1alpha1.ConcurrencyAllow && o.spec.StartingDeadline == nil
}

// nextIsDue reports whether there is another tick after tick i of the list.
func (o *oracle) nextIsDue(i int, now int64) bool { return len(o.list) > i+1 && o.list[i+1].at <= now }

// waits reports whether tick i of the list, and all after it, wait for other applications.
func (o *oracle) waits(i int, now, since int64, w *predicted) bool {
	d, name := o.list[i], fmt.Sprintf("s-%d", o.list[i].at/60)
	if d.created || !o.anotherThan(name) {
		return false
	}
	missed := d.at <= since
	all := missed && o.spec.CatchUp == v1alpha1.CatchUpAll
	switch o.spec.ConcurrencyPolicy {
	case v1alpha1.ConcurrencyReplace:
		if all && !o.hadItsTime(name, now, since) {
			return true
		}
		o.endOthers(name, w.time)
		return true
	case v1alpha1.ConcurrencyForbid:
		return o.spec.StartingDeadline != nil || all || missed && !o.nextIsDue(i, now) || now >= since && now < since+30
	}
	return false
}

// endOthers lets all applications but one end, each after its time.
func (o *oracle) endOthers(name string, now int64) {
	for other, f := range o.alive {
		if other != name && f.gone == 0 {
			f.gone = now + f.hold
		}
	}
}

// hadItsTime reports whether a tick that was not missed was due after the oldest other application was created.
func (o *oracle) hadItsTime(name string, now, since int64) bool {
	oldest := now
	for other, f := range o.alive {
		if other != name {
			oldest = min(oldest, f.made)
		}
	}
	return slices.ContainsFunc(o.list, func(d due) bool { return d.at <= now && d.at > since && d.at > oldest })
}

func (o *oracle) anotherThan(name string) bool {
	_, own := o.alive[name]
	return len(o.alive) > 1 || len(o.alive) == 1 && !own
}

// randomFields returns a schedule of five fields or an interval, as text and as a set of minutes, and the approximate
// number of seconds between two ticks.
func randomFields(r *rand.Rand, zone *time.Location) (string, *minutes, int64) {
	m := &minutes{zone: zone}
	if r.IntN(6) == 0 {
		m.every = 60 + r.Int64N(30*3600)
		return fmt.Sprintf("@every %ds", m.every), m, m.every
	}
	texts, typical := []string{"*", "*", "*", "*", "*"}, int64(3600)
	set := func(i, low, high int) {
		m.fields[i] = map[int]bool{}
		var all []string
		for range 1 + r.IntN(3) {
			v := low + r.IntN(high-low+1)
			m.fields[i][v] = true
			all = append(all, fmt.Sprint(v))
		}
		texts[i] = strings.Join(all, ",")
	}
	set(0, 0, 59)
	if r.IntN(3) > 0 {
		// Clocks are changed at night.
		set(1, 0, pick(r, 3, 23))
		typical = 86400 / int64(len(m.fields[1]))
		if r.IntN(3) == 0 {
			set(4, 0, 6)
		}
		if r.IntN(4) == 0 {
			set(2, 1, 28)
		}
	}
	return strings.Join(texts, " "), m, typical / int64(len(m.fields[0]))
}
