// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package tick

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/cron"
)

// TestDecide: a schedule every ten minutes that was created at 12:00 and of which everything until 12:00 is handled. The operator has been
// running since 11:00.
func TestDecide(t *testing.T) {
	type world = Observation
	spec := func(change func(*v1alpha1.ScheduledSparkApplicationSpec)) func(*world) {
		return func(w *world) { change(&w.Schedule.Spec) }
	}
	policy := func(p v1alpha1.ConcurrencyPolicy) func(*world) {
		return spec(func(s *v1alpha1.ScheduledSparkApplicationSpec) { s.ConcurrencyPolicy = p })
	}
	catchUp := func(p v1alpha1.CatchUpPolicy) func(*world) {
		return spec(func(s *v1alpha1.ScheduledSparkApplicationSpec) { s.CatchUp = p })
	}
	deadline := func(d time.Duration) func(*world) {
		return spec(func(s *v1alpha1.ScheduledSparkApplicationSpec) { s.StartingDeadline = &metav1.Duration{Duration: d} })
	}
	child := func(name string, change func(*Child)) func(*world) {
		return func(w *world) {
			c := Child{Name: name}
			if change != nil {
				change(&c)
			}
			w.Children = append(w.Children, c)
		}
	}
	refused := func(clock string) func(*world) { return func(w *world) { w.Refused = Name("nightly", today(clock)) } }
	requestRefused := func(w *world) { w.RefusedRequest = RequestedName("nightly", "now") }
	handledUntil := func(clock string) func(*world) {
		return func(w *world) { w.Schedule.Status.Handled.Until = metav1.NewTime(today(clock)) }
	}
	monthAhead := func(w *world) { w.Schedule.Status.Handled.Until = metav1.NewTime(today("12:00").AddDate(0, 1, 0)) }
	restored := func(clock string) func(*world) {
		return func(w *world) { w.Schedule.CreationTimestamp = metav1.NewTime(today(clock)) }
	}
	otherRefused := func(w *world) { w.RefusedRequest = RequestedName("nightly", "before") }
	since := func(clock string) func(*world) { return func(w *world) { w.Since = today(clock) } }
	token := func(w *world) { w.Token = "now" }
	suspended := spec(func(s *v1alpha1.ScheduledSparkApplicationSpec) { s.Suspend = true })
	wasPaused := func(w *world) { w.Schedule.Status.Handled.Paused = true }
	wasMistaken := func(w *world) { w.Schedule.Status.Handled.Paused, w.Schedule.Status.Handled.Mistake = true, true }
	mistaken := func(w *world) { w.Times = nil }
	followed := func(schedule string) func(*world) {
		return func(w *world) { w.Schedule.Status.Handled.Schedule = schedule }
	}
	finished := func(c *Child) { c.Finished = true }
	deleting := func(c *Child) { c.Finished, c.Deleting = true, true }
	created := func(clock string) func(*Child) { return func(c *Child) { c.Created = today(clock) } }
	stalled := func(c *Child) { c.Stalled = true }
	invalid := func(c *Child) { c.Finished, c.Stalled = true, true }
	invalidGoing := func(c *Child) { c.Finished, c.Stalled, c.Deleting = true, true, true }
	invalidKept := func(c *Child) { c.Finished, c.Stalled, c.Keep = true, true, true }
	for _, tc := range []struct {
		name   string
		now    string
		change []func(*world)
		want   string
	}{
		{"nothing is due", "12:05", nil, "until 12:00, look 12:10"},
		{"due", "12:10", nil, "create 12:10, until 12:10, again"},
		{"due, seen late", "12:19", nil, "create 12:10, until 12:10, again"},
		{"two are due: the operator was slow, but it ran", "12:21", nil, "create 12:10, until 12:10, again"},
		{"a backup has restored it with its status", "12:41", []func(*world){restored("12:25"), policy(v1alpha1.ConcurrencyAllow)}, "create 12:30, until 12:30, again"},
		{"… and nothing is due since", "12:29", []func(*world){restored("12:25")}, "until 12:25, look 12:30"},
		{"the clock was set back", "11:30", nil, "until 12:00, look 12:10"},

		{"another has not finished, Forbid", "12:10", []func(*world){child("a", nil)}, "pass 12:10 ConcurrencyForbidden a, until 12:10, look 12:20"},
		{"… and may start late", "12:10", []func(*world){child("a", nil), deadline(5 * time.Minute)}, "waits for a, until 12:00, look 12:15"},
		{"… and has waited too long", "12:16", []func(*world){child("a", nil), deadline(5 * time.Minute)}, "pass 12:10 StartingDeadlineExceeded, until 12:10, look 12:20"},
		{"… and it finished in time", "12:14", []func(*world){child("a", finished), deadline(5 * time.Minute)}, "create 12:10, until 12:10, again"},
		{"another is being deleted, Forbid", "12:10", []func(*world){child("a", deleting)}, "pass 12:10 ConcurrencyForbidden a, until 12:10, look 12:20"},
		{"another has not finished, Allow", "12:10", []func(*world){child("a", nil), policy(v1alpha1.ConcurrencyAllow)}, "create 12:10, until 12:10, again"},
		{"two have not finished, Replace", "12:10", []func(*world){child("b", nil), child("a", nil), policy(v1alpha1.ConcurrencyReplace)}, "delete a b, waits for a, until 12:00, look 12:20"},
		{"… and are going", "12:10", []func(*world){child("a", deleting), policy(v1alpha1.ConcurrencyReplace)}, "waits for a, until 12:00, look 12:20"},
		{"two are due, and another is going, Replace", "12:25", []func(*world){child("a", deleting), policy(v1alpha1.ConcurrencyReplace)}, "pass 12:10 Replaced, waits for a, until 12:10, look 12:30"},
		{"… and it has gone", "12:25", []func(*world){policy(v1alpha1.ConcurrencyReplace)}, "pass 12:10 Replaced, create 12:20, until 12:20, again"},
		{"… and the first exists already", "12:25", []func(*world){child(Name("nightly", today("12:10")), nil), policy(v1alpha1.ConcurrencyReplace)}, "record 12:10, until 12:10, again"},
		{"another cannot start, Forbid", "12:10", []func(*world){child("a", invalid)}, "delete a, waits for a, until 12:00, look 12:20"},
		{"… and is going", "12:10", []func(*world){child("a", invalidGoing)}, "waits for a, until 12:00, look 12:20"},
		{"… and is kept", "12:10", []func(*world){child("a", invalidKept)}, "create 12:10, until 12:10, again"},
		{"… and a third runs", "12:10", []func(*world){child("a", invalid), child("b", nil)}, "pass 12:10 ConcurrencyForbidden b, until 12:10, look 12:20"},
		{"another stands still, Forbid", "12:10", []func(*world){child("a", stalled)}, "delete a, waits for a, until 12:00, look 12:20"},
		{"… and is kept", "12:10", []func(*world){child("a", func(c *Child) { c.Stalled, c.Keep = true, true })}, "create 12:10, until 12:10, again"},
		{"… and a third runs", "12:10", []func(*world){child("a", stalled), child("b", nil)}, "pass 12:10 ConcurrencyForbidden b, until 12:10, look 12:20"},
		{"… and another leads since a moment ago", "12:10", []func(*world){child("a", stalled), since("12:10")}, "waits for a, until 12:00, look 12:10:30"},
		{"… and this is one of those that are caught up", "12:52", []func(*world){child("a", stalled), since("12:51"), catchUp(v1alpha1.CatchUpAll)},
			"waits for a, until 12:00, look 13:00"},
		{"… until another one is due", "13:00", []func(*world){child("a", stalled), since("12:51"), catchUp(v1alpha1.CatchUpAll)}, "delete a, waits for a, until 12:00, look 13:10"},
		{"another stands still, Allow", "12:10", []func(*world){child("a", stalled), policy(v1alpha1.ConcurrencyAllow)}, "create 12:10, until 12:10, again"},
		{"another cannot start, Replace", "12:10", []func(*world){child("a", invalid), policy(v1alpha1.ConcurrencyReplace)}, "delete a, waits for a, until 12:00, look 12:20"},
		{"another cannot start, Allow", "12:10", []func(*world){child("a", invalid), policy(v1alpha1.ConcurrencyAllow)}, "create 12:10, until 12:10, again"},
		{"the application of the tick exists already, and cannot start", "12:10", []func(*world){child(Name("nightly", today("12:10")), invalid)}, "record 12:10, until 12:10, again"},
		{"the application of the tick exists already", "12:10", []func(*world){child(Name("nightly", today("12:10")), nil)}, "record 12:10, until 12:10, again"},
		{"… and it is late", "12:16", []func(*world){child(Name("nightly", today("12:10")), nil), deadline(5 * time.Minute)}, "record 12:10, until 12:10, again"},
		{"… and another leads since", "12:15", []func(*world){child(Name("nightly", today("12:10")), nil), since("12:14"), catchUp(v1alpha1.CatchUpNone)},
			"record 12:10, until 12:10, again"},
		{"… and another one runs beside it", "12:15", []func(*world){child(Name("nightly", today("12:10")), finished), child("a", nil)}, "record 12:10, until 12:10, again"},
		{"the API server has refused it", "12:11", []func(*world){refused("12:10")}, "create 12:10, until 12:10, again"},
		{"… and the next one is due", "12:20", []func(*world){refused("12:10")}, "pass 12:10 CreateFailed, create 12:20, until 12:20, again"},
		{"… and it may start late", "12:20", []func(*world){refused("12:10"), deadline(time.Hour)}, "create 12:10, until 12:10, again"},
		{"… and it is caught up", "12:25", []func(*world){refused("12:10"), since("12:24"), catchUp(v1alpha1.CatchUpAll)}, "create 12:10, until 12:10, again"},
		{"its name is taken", "12:10", []func(*world){func(w *world) { w.Taken = map[string]bool{Name("nightly", today("12:10")): true} }}, "pass 12:10 NameTaken, until 12:10, look 12:20"},

		{"down over five, None", "12:52", []func(*world){since("12:51"), catchUp(v1alpha1.CatchUpNone)},
			"pass 12:10 OperatorDown, pass 12:20 OperatorDown, pass 12:30 OperatorDown, pass 12:40 OperatorDown, pass 12:50 OperatorDown, until 12:50, look 13:00"},
		{"down over five, Last", "12:52", []func(*world){since("12:51")},
			"pass 12:10 OperatorDown, pass 12:20 OperatorDown, pass 12:30 OperatorDown, pass 12:40 OperatorDown, create 12:50, until 12:50, again"},
		{"down over two, and one since", "12:32", []func(*world){since("12:25")}, "pass 12:10 OperatorDown, create 12:20, until 12:20, again"},
		{"down over two, Last, another has not finished, as far as is known", "12:25", []func(*world){since("12:24"), child("a", nil)},
			"pass 12:10 OperatorDown, waits for a, until 12:10, look 12:30"},
		{"… until the next one is due", "12:31", []func(*world){since("12:24"), child("a", nil)},
			"pass 12:10 OperatorDown, pass 12:20 ConcurrencyForbidden a, pass 12:30 ConcurrencyForbidden a, until 12:30, look 12:40"},
		{"down over two, and one since, Replace", "12:32", []func(*world){since("12:25"), policy(v1alpha1.ConcurrencyReplace)},
			"pass 12:10 OperatorDown, pass 12:20 Replaced, create 12:30, until 12:30, again"},
		{"down until a moment ago, another has not finished, as far as is known", "12:30", []func(*world){since("12:30"), child("a", nil)},
			"pass 12:10 OperatorDown, pass 12:20 OperatorDown, waits for a, until 12:20, look 12:30:30"},
		{"… nor a minute later", "12:31", []func(*world){since("12:29"), child("a", nil)},
			"pass 12:10 OperatorDown, pass 12:20 ConcurrencyForbidden a, pass 12:30 ConcurrencyForbidden a, until 12:30, look 12:40"},
		{"down over five, All", "12:52", []func(*world){since("12:51"), catchUp(v1alpha1.CatchUpAll)}, "create 12:10, until 12:10, again"},
		{"… the next one waits for it, Replace", "12:52", []func(*world){since("12:51"), catchUp(v1alpha1.CatchUpAll), policy(v1alpha1.ConcurrencyReplace), child("a", nil)},
			"waits for a, until 12:00, look 13:00"},
		{"… until another one is due", "13:00", []func(*world){since("12:51"), catchUp(v1alpha1.CatchUpAll), policy(v1alpha1.ConcurrencyReplace), child("a", nil)},
			"delete a, waits for a, until 12:00, look 13:10"},
		{"… since it was created", "13:05", []func(*world){since("12:51"), catchUp(v1alpha1.CatchUpAll), policy(v1alpha1.ConcurrencyReplace), child("a", created("13:01"))},
			"waits for a, until 12:00, look 13:10"},
		{"… the next one waits for it", "12:52", []func(*world){since("12:51"), catchUp(v1alpha1.CatchUpAll), child("a", nil)}, "waits for a, until 12:00"},
		{"down over twelve, All", "14:05", []func(*world){since("14:01"), catchUp(v1alpha1.CatchUpAll)},
			"pass 12:10 OperatorDown, pass 12:20 OperatorDown, create 12:30, until 12:30, again"},
		{"down over five, All, those of the last quarter of an hour", "12:52", []func(*world){since("12:51"), catchUp(v1alpha1.CatchUpAll), deadline(15 * time.Minute)},
			"pass 12:10 StartingDeadlineExceeded, pass 12:20 StartingDeadlineExceeded, pass 12:30 StartingDeadlineExceeded, create 12:40, until 12:40, again"},

		{"never seen before: since it was created", "12:25", []func(*world){since("12:24"), func(w *world) { w.Schedule.Status.Handled = nil }},
			"pass 12:10 OperatorDown, create 12:20, until 12:20, again"},
		{"another schedule: from now on", "12:25", []func(*world){func(w *world) { w.Schedule.Status.Handled.Schedule = "0 * * * *" }}, "until 12:25, look 12:30"},
		{"… and a run of the one before it has not started", "12:25", []func(*world){followed("*/20 * * * *")}, "pass 12:20 ScheduleChanged, until 12:25, look 12:30"},
		{"… or was created and not recorded", "12:50", []func(*world){followed("*/20 * * * *"), child(Name("nightly", today("12:40")), nil)},
			"pass 12:20 ScheduleChanged, record 12:40, until 12:40, again"},
		{"… or was run by a request of it", "12:50", []func(*world){followed("*/20 * * * *"), child(Name("nightly", today("12:40")), func(c *Child) { c.Request = "a1" })},
			"pass 12:20 ScheduleChanged, until 12:50, look 13:00"},
		{"… and the one before it was wrong", "12:25", []func(*world){followed("61 * * * *"), wasMistaken}, "until 12:25, look 12:30"},
		{"another zone: from now on", "12:05", []func(*world){func(w *world) { w.Schedule.Status.Handled.TimeZone = "Asia/Tokyo" }}, "until 12:05, look 12:10"},
		{"suspended", "12:25", []func(*world){suspended}, "until 12:25 paused"},
		{"… and a run was created and not recorded", "12:25", []func(*world){suspended, child(Name("nightly", today("12:20")), nil)}, "record 12:20, until 12:20, again"},
		{"… before", "12:25", []func(*world){suspended, wasPaused}, "until 12:00 paused"},
		{"… and it had a mistake", "12:25", []func(*world){suspended, wasMistaken}, "pass 12:10 InvalidSpec, pass 12:20 InvalidSpec, until 12:25 paused"},
		{"… and has one now", "12:25", []func(*world){wasPaused, mistaken}, "until 12:25 paused"},
		{"resumed", "12:25", []func(*world){wasPaused}, "until 12:25, look 12:30"},
		{"resumed, after a clock that was an hour ahead", "12:25", []func(*world){wasPaused, handledUntil("13:25")}, "until 13:25, look 13:30"},
		{"resumed, after a clock that was a month ahead", "12:25", []func(*world){wasPaused, monthAhead}, "until 12:25, look 12:30"},
		{"suspended, after a clock that was a month ahead", "12:25", []func(*world){suspended, monthAhead}, "until 12:00 paused"},
		{"a mistake", "12:25", []func(*world){mistaken}, "pass 12:10 InvalidSpec, pass 12:20 InvalidSpec, until 12:25 paused"},
		{"… as before", "12:25", []func(*world){mistaken, wasMistaken}, "until 12:00 paused"},
		{"… which is corrected", "12:25", []func(*world){wasMistaken}, "pass 12:10 InvalidSpec, pass 12:20 InvalidSpec, until 12:25, look 12:30"},
		{"… when the next one is due", "12:20", []func(*world){wasMistaken}, "pass 12:10 InvalidSpec, pass 12:20 InvalidSpec, until 12:20, look 12:30"},
		{"not followed over eleven, Allow", "13:50", []func(*world){policy(v1alpha1.ConcurrencyAllow)}, "pass 12:10 NotFollowed, create 12:20, until 12:20, again"},
		{"… and they may start late", "13:50", []func(*world){policy(v1alpha1.ConcurrencyAllow), deadline(3 * time.Hour)}, "create 12:10, until 12:10, again"},
		{"… Forbid", "13:50", nil, "create 12:10, until 12:10, again"},

		{"asked for", "12:05", []func(*world){token}, "create now, until 12:00, look 12:10, again"},
		{"asked for while suspended", "12:05", []func(*world){token, suspended}, "create now, until 12:05 paused, again"},
		{"asked for, another has not finished, Forbid", "12:10", []func(*world){token, child("a", nil)},
			"pass 12:10 ConcurrencyForbidden a, waits for a, until 12:10, look 12:20"},
		{"asked for, another has not finished, Replace", "12:10", []func(*world){token, child("a", nil), policy(v1alpha1.ConcurrencyReplace)}, "delete a, waits for a, until 12:00"},
		{"asked for, another cannot start, Forbid", "12:05", []func(*world){token, child("a", invalid)}, "delete a, waits for a, until 12:00"},
		{"asked for, and it exists, another has not finished", "12:05", []func(*world){token, child(RequestedName("nightly", "now"), nil), child("a", nil)},
			"record now, until 12:00, look 12:10, again"},
		{"asked for, and it cannot be created", "12:05", []func(*world){token, requestRefused}, "create now, until 12:00, look 12:10, again"},
		{"… and something is due", "12:10", []func(*world){token, requestRefused}, "create 12:10, until 12:10, again"},
		{"… which cannot be created either", "12:11", []func(*world){token, requestRefused, refused("12:10")}, "create 12:10, until 12:10, again"},
		{"… until the next one is due", "12:20", []func(*world){token, requestRefused, refused("12:10")}, "pass 12:10 CreateFailed, create 12:20, until 12:20, again"},
		{"… and another has not finished, Forbid", "12:10", []func(*world){token, requestRefused, child("a", nil)},
			"pass 12:10 ConcurrencyForbidden a, waits for a, until 12:10, look 12:20"},
		{"… and another has not finished, Replace", "12:10", []func(*world){token, requestRefused, child("a", nil), policy(v1alpha1.ConcurrencyReplace)},
			"delete a, waits for a, until 12:00, look 12:20"},
		{"… and what was due before runs, Replace", "12:15", []func(*world){token, requestRefused, child(Name("nightly", today("12:10")), nil), policy(v1alpha1.ConcurrencyReplace), handledUntil("12:10")},
			"waits for nightly-29454490, until 12:10, look 12:20"},
		{"… and what is due is passed over", "12:16", []func(*world){token, requestRefused, deadline(5 * time.Minute)},
			"pass 12:10 StartingDeadlineExceeded, create now, until 12:10, look 12:20, again"},
		{"… and the schedule is suspended", "12:25", []func(*world){token, requestRefused, suspended}, "create now, until 12:25 paused, again"},
		{"another one was asked for before, and could not be created", "12:10", []func(*world){token, otherRefused}, "create now, until 12:00, look 12:10, again"},
		{"asked for while it has a mistake", "12:05", []func(*world){token, mistaken}, "until 12:05 paused"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			times, err := cron.Parse("*/10 * * * *", "UTC")
			if err != nil {
				t.Fatal(err)
			}
			w := Observation{Now: today(tc.now), Since: today("11:00"), Times: times, Schedule: &v1alpha1.ScheduledSparkApplication{}}
			w.Schedule.Name = "nightly"
			w.Schedule.CreationTimestamp = metav1.NewTime(today("12:00"))
			w.Schedule.Spec.Schedule = "*/10 * * * *"
			w.Schedule.Status.Handled = &v1alpha1.HandledSchedule{Until: metav1.NewTime(today("12:00")), Schedule: "*/10 * * * *"}
			for _, change := range tc.change {
				change(&w)
			}
			if diff := cmp.Diff(tc.want, show(Decide(w))); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAYearOfMinutes: a schedule whose operator was away for a year is followed in steps, and runs once.
func TestAYearOfMinutes(t *testing.T) {
	times, err := cron.Parse("* * * * *", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	now := today("12:00").AddDate(1, 0, 0)
	o := Observation{Now: now, Since: now, Times: times, Schedule: &v1alpha1.ScheduledSparkApplication{}}
	o.Schedule.CreationTimestamp = metav1.NewTime(today("12:00"))
	o.Schedule.Spec.Schedule = "* * * * *"
	steps, passed, created := 0, 0, 0
	for again := true; again; steps++ {
		d := Decide(o)
		passed += len(d.Passed)
		if again = d.Again; d.Create != nil {
			created++
			if !d.Create.At.Equal(now) {
				t.Errorf("created for %s", d.Create.At)
			}
		}
		o.Schedule.Status.Handled = &d.Handled
	}
	if passed != 365*24*60-1 || created != 1 || steps > 60 {
		t.Errorf("%d passed over, %d created in %d steps", passed, created, steps)
	}
}

// TestTheLastMissedOfMany: more ticks are due than one decision looks at. The last one that was missed runs, although many follow that were not.
func TestTheLastMissedOfMany(t *testing.T) {
	times, err := cron.Parse("* * * * *", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	since := today("12:00").Add(50 * time.Minute)
	o := Observation{Now: since.AddDate(0, 0, 10), Since: since, Times: times, Schedule: &v1alpha1.ScheduledSparkApplication{}}
	o.Schedule.CreationTimestamp = metav1.NewTime(today("12:00"))
	o.Schedule.Spec.Schedule = "* * * * *"
	if d := Decide(o); len(d.Passed) != 49 || d.Create == nil || !d.Create.At.Equal(since) {
		t.Errorf("%d passed over, created %+v; want 49, and the one of %s", len(d.Passed), d.Create, since)
	}
}

func TestSurplus(t *testing.T) {
	var children []Child
	for i := range 12 {
		children = append(children, Child{
			Name: fmt.Sprintf("c%02d", i), Created: today("12:00").Add(time.Duration(12-i) * time.Minute),
			Finished: i != 11, Succeeded: i%2 == 0, Keep: i == 10, Deleting: i == 9,
		})
	}
	children = append(children, Child{Name: "invalid", Created: today("11:00"), Finished: true, Stalled: true})
	var names []string
	for _, c := range Surplus(&v1alpha1.ScheduledSparkApplicationSpec{}, children) {
		names = append(names, c.Name)
	}
	// c10 is kept, c11 runs, c09 goes already; the younger have the lower numbers. One that cannot start counts as failed.
	if diff := cmp.Diff("invalid c08 c07 c06 c05 c03", strings.Join(names, " ")); diff != "" {
		t.Errorf("surplus (-want +got):\n%s", diff)
	}
}

// TestSurplusOfReruns: an old application that was run again is as young as the end of that run: its result and its log are what a user waits for.
func TestSurplusOfReruns(t *testing.T) {
	ended := func(name, created, ended string) Child {
		return Child{Name: name, Created: today(created), Ended: today(ended), Finished: true, Succeeded: true}
	}
	children := []Child{ended("again", "09:00", "13:00"), ended("b", "10:00", "10:30"), ended("c", "11:00", "11:30"), ended("d", "12:00", "12:30")}
	if left := Surplus(&v1alpha1.ScheduledSparkApplicationSpec{}, children); len(left) != 1 || left[0].Name != "b" {
		t.Errorf("surplus %+v, want b", left)
	}
}

func TestNames(t *testing.T) {
	if got := Name("nightly", time.Unix(60*29_000_000+59, 0)); got != "nightly-29000000" {
		t.Errorf("name %s", got)
	}
	longest := strings.Repeat("n", 52)
	for _, name := range []string{Name(longest, today("12:00")), RequestedName(longest, "any token")} {
		if len(name) > 63 {
			t.Errorf("%s has %d characters", name, len(name))
		}
	}
}

func today(clock string) time.Time {
	at, err := time.Parse("2006-01-02 15:04", "2026-01-01 "+clock)
	if err != nil {
		panic(err)
	}
	return at
}

func show(d Decision) string {
	var parts []string
	for _, p := range d.Passed {
		text := "pass " + p.At.Format("15:04") + " " + p.Reason
		if p.Blocker != nil {
			text += " " + p.Blocker.Name
		}
		parts = append(parts, text)
	}
	if len(d.Delete) > 0 {
		text := "delete"
		for _, c := range d.Delete {
			text += " " + c.Name
		}
		parts = append(parts, text)
	}
	if run := d.Create; run != nil {
		verb, what := "create ", run.Token
		if run.Exists {
			verb = "record "
		}
		if what == "" {
			what = run.At.Format("15:04")
		}
		parts = append(parts, verb+what)
	}
	if d.Waits != nil {
		parts = append(parts, "waits for "+d.Waits.Name)
	}
	until := "until " + d.Handled.Until.Format("15:04")
	if d.Handled.Paused {
		until += " paused"
	}
	parts = append(parts, until)
	if !d.Look.IsZero() {
		parts = append(parts, "look "+strings.TrimSuffix(d.Look.Format("15:04:05"), ":00"))
	}
	if d.Again {
		parts = append(parts, "again")
	}
	return strings.Join(parts, ", ")
}
