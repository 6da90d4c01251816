// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package tick

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/cron"
	"github.com/sparkgate/sparkgate/internal/testing/randtest"
)

func timesOf(t *testing.T, schedule, zone string) *cron.Schedule {
	t.Helper()
	times, err := cron.Parse(schedule, zone)
	if err != nil {
		t.Fatal(err)
	}
	return times
}

// TestPastTimes: what a request may contain, and how its first mistake is described.
func TestPastTimes(t *testing.T) {
	nightly := timesOf(t, "30 2 * * *", "Europe/Zurich")
	now := time.Date(2026, 11, 26, 1, 0, 0, 0, time.UTC) // 02:00 in Zurich
	many := strings.Repeat("2026-11-23T02:30 ", v1alpha1.MaxRunFor+1)
	for request, want := range map[string]string{
		"2026-11-23T02:30":                              "2026-11-23T02:30:00+01:00",
		"2026-11-23T01:30:00Z":                          "2026-11-23T02:30:00+01:00",
		"2026-11-24T02:30:00+01:00, 2026-11-23T02:30":   "2026-11-23T02:30:00+01:00 2026-11-24T02:30:00+01:00",
		"2026-11-23T02:30,2026-11-23T01:30:00Z #twice":  "2026-11-23T02:30:00+01:00",
		"2026-11-23T02:30\r\n2026-11-24T02:30:00 #more": "2026-11-23T02:30:00+01:00 2026-11-24T02:30:00+01:00",
		"2026-03-29T02:30":                              "2026-03-29T03:00:00+02:00",
		"":                                              "the request names no time: write one such as 2026-11-23T02:30:00+01:00, or 2026-11-23T02:30 in the time zone of the schedule",
		" , #2026-11-23T02:30":                          "the request names no time: write one such as 2026-11-23T02:30:00+01:00, or 2026-11-23T02:30 in the time zone of the schedule",
		"yesterday":                                     `"yesterday" is not a time: write one such as 2026-11-23T02:30:00+01:00, or 2026-11-23T02:30 in the time zone of the schedule`,
		strings.Repeat("9", 300):                        `"` + strings.Repeat("9", 40) + `" is not a time: write one such as 2026-11-23T02:30:00+01:00, or 2026-11-23T02:30 in the time zone of the schedule`,
		"2026-11-23":                                    "2026-11-23T00:00:00+01:00 is not a time of the schedule: choose 2026-11-22T02:30:00+01:00 or 2026-11-23T02:30:00+01:00",
		"2026-11-23T02:30 2026-11-23T02:31":             "2026-11-23T02:31:00+01:00 is not a time of the schedule: choose 2026-11-23T02:30:00+01:00 or 2026-11-24T02:30:00+01:00",
		"2026-11-26T01:59":                              "2026-11-26T01:59:00+01:00 is not a time of the schedule: choose 2026-11-25T02:30:00+01:00",
		"2026-11-23T01:30:00.5Z":                        "2026-11-23T02:30:00+01:00 is not a time of the schedule: choose 2026-11-23T02:30:00+01:00 or 2026-11-24T02:30:00+01:00",
		"2026-11-26T02:30":                              "2026-11-26T02:30:00+01:00 is in the future: the schedule runs it when it is due",
		"9999-12-31T23:59:59Z":                          "10000-01-01T00:59:59+01:00 is in the future: the schedule runs it when it is due",
		"0000-01-01":                                    "0000-01-01T00:00:00+00:34 is before 1970",
		many:                                            "the request names 101 times, of at most 100: request the others when these have run",
		strings.Repeat(",", maxRequest+1):               "the request has 4097 bytes, of at most 4096: name fewer times",
	} {
		all, err := PastTimes(request, nightly, now)
		var got []string
		for _, at := range all {
			got = append(got, at.Format(time.RFC3339))
		}
		text := strings.Join(got, " ")
		if err != nil {
			text = err.Error()
		}
		if text != want {
			t.Errorf("%.60q: %s\nwant %s", request, text, want)
		}
	}
	if _, err := PastTimes("2026-11-23", timesOf(t, "0 0 29 2 *", "UTC"), now); err == nil || !strings.HasSuffix(err.Error(), ": choose 2024-02-29T00:00:00Z") {
		t.Errorf("a time after the last one that was due: %v", err)
	}
	if _, err := PastTimes("1970-01-02", timesOf(t, "0 0 29 2 *", "UTC"), now.AddDate(-56, 0, 0)); err == nil || !strings.HasSuffix(err.Error(), "which was not due until now") {
		t.Errorf("a schedule that was never due: %v", err)
	}
}

// TestDecidePast: a schedule every ten minutes of which everything until 12:00 is handled, at 12:05, and what it does about a request for
// 09:00 and 09:10.
func TestDecidePast(t *testing.T) {
	type world = Observation
	const request = "2026-01-01T09:00 2026-01-01T09:10"
	hash := RequestHash(request)
	name := func(clock string) string { return Name("nightly", today(clock)) }
	child := func(name string, change func(*Child)) func(*world) {
		return func(w *world) {
			c := Child{Name: name}
			if change != nil {
				change(&c)
			}
			w.Children = append(w.Children, c)
		}
	}
	state := func(pending ...string) func(*world) {
		return func(w *world) {
			w.Schedule.Status.RunFor = &v1alpha1.RunForStatus{Request: request}
			for _, clock := range pending {
				w.Schedule.Status.RunFor.Pending = append(w.Schedule.Status.RunFor.Pending, today(clock).Format(time.RFC3339))
			}
		}
	}
	both := state("09:00", "09:10")
	asks := func(request string) func(*world) { return func(w *world) { w.Request = request } }
	policy := func(p v1alpha1.ConcurrencyPolicy) func(*world) {
		return func(w *world) { w.Schedule.Spec.ConcurrencyPolicy = p }
	}
	suspended := func(w *world) { w.Schedule.Spec.Suspend = true }
	mistaken := func(w *world) { w.Times = nil }
	now := func(clock string) func(*world) { return func(w *world) { w.Now = today(clock) } }
	ofRequest := func(c *Child) { c.Request = hash }
	ofRequestGoing := func(c *Child) { c.Request, c.Deleting = hash, true }
	ofAnother := func(c *Child) { c.Request = RequestHash("another") }
	finished := func(c *Child) { c.Finished = true }
	going := func(c *Child) { c.Finished, c.Deleting = true, true }
	stalled := func(c *Child) { c.Stalled = true }
	stalledKept := func(c *Child) { c.Stalled, c.Keep = true, true }
	invalid := func(c *Child) { c.Finished, c.Stalled = true, true }
	for _, tc := range []struct {
		name   string
		change []func(*world)
		want   string
	}{
		{"it is recorded first", nil, "until 12:00, again; pending 09:00 09:10"},
		{"… even if something is due", []func(*world){now("12:10")}, "until 12:00, again; pending 09:00 09:10"},
		{"… also while suspended", []func(*world){suspended}, "until 12:05 paused, again; pending 09:00 09:10"},
		{"… not while there is a mistake", []func(*world){mistaken}, "until 12:05 paused"},
		{"with the text of an earlier one", []func(*world){child(name("09:00"), ofRequest)}, "until 12:00, again; pending 09:10, skipped 09:00"},
		{"… whose application goes", []func(*world){child(name("09:00"), ofRequestGoing)}, "until 12:00, again; pending 09:10, skipped 09:00"},
		{"with a mistake", []func(*world){asks("2026-01-01T09:01")}, "until 12:00, again; Refused"},
		{"then it is run, oldest first", []func(*world){both}, "create past 09:00, until 12:00, look 12:10, again; pending 09:10, 1 created"},
		{"… also while suspended", []func(*world){both, suspended}, "create past 09:00, until 12:05 paused, again; pending 09:10, 1 created"},
		{"… and was created", []func(*world){both, child(name("09:00"), ofRequest)}, "record past 09:00, until 12:00, again; pending 09:10, 1 created"},
		{"… and was created, and another client deletes it", []func(*world){both, child(name("09:00"), ofRequestGoing)}, "record past 09:00, until 12:00, again; pending 09:10, 1 created"},
		{"… the last one", []func(*world){state("09:10"), child(name("09:10"), ofRequest)}, "record past 09:10, until 12:00, again; Created, 1 created"},
		{"it waits for another one", []func(*world){both, child("a", nil)}, "waits for a in the past, until 12:00, look 12:10; pending 09:00 09:10"},
		{"… Replace", []func(*world){both, child("a", nil), policy(v1alpha1.ConcurrencyReplace)}, "waits for a in the past, until 12:00, look 12:10; pending 09:00 09:10"},
		{"… Allow", []func(*world){both, child("a", nil), policy(v1alpha1.ConcurrencyAllow)}, "create past 09:00, until 12:00, look 12:10, again; pending 09:10, 1 created"},
		{"… that is stalled", []func(*world){both, child("a", stalled)}, "waits for a in the past, until 12:00, look 12:10; pending 09:00 09:10"},
		{"… that cannot start", []func(*world){both, child("a", invalid)}, "waits for a in the past, until 12:00, look 12:10; pending 09:00 09:10"},
		{"… that is stalled and kept", []func(*world){both, child("a", stalledKept)}, "create past 09:00, until 12:00, look 12:10, again; pending 09:10, 1 created"},
		{"there is one already", []func(*world){both, child(name("09:00"), finished)}, "until 12:00, look 12:10, again; pending 09:10, skipped 09:00"},
		{"there are several already", []func(*world){both, child(name("09:00"), finished), child(name("09:10"), finished)},
			"until 12:00, look 12:10, again; Skipped, skipped 09:00 09:10"},
		{"… of an earlier request", []func(*world){both, child(name("09:00"), ofAnother)}, "until 12:00, look 12:10, again; pending 09:10, skipped 09:00"},
		{"… the last one", []func(*world){state("09:10"), child(name("09:10"), finished)}, "until 12:00, look 12:10, again; Skipped, skipped 09:10"},
		{"… which goes", []func(*world){both, child(name("09:00"), going)}, "waits for nightly-29454300 in the past, until 12:00, look 12:10; pending 09:00 09:10"},
		{"… of another user", []func(*world){both, func(w *world) { w.Taken = map[string]bool{name("09:00"): true} }}, "until 12:00, look 12:10, again; pending 09:10, skipped 09:00"},
		{"what is due comes first", []func(*world){both, now("12:10")}, "create 12:10, until 12:10, again; pending 09:00 09:10"},
		{"… and waits for a run of the past", []func(*world){both, now("12:10"), child("a", ofRequest)}, "waits for a, until 12:00, look 12:20; pending 09:00 09:10"},
		{"… until the next one is due", []func(*world){both, now("12:20"), child("a", ofRequest)},
			"pass 12:10 ConcurrencyForbidden a, waits for a, until 12:10, look 12:30; pending 09:00 09:10"},
		{"… and replaces it", []func(*world){both, now("12:10"), child("a", ofRequest), policy(v1alpha1.ConcurrencyReplace)},
			"delete a, waits for a, until 12:00, look 12:20; pending 09:00 09:10"},
		{"a run that was requested now comes first", []func(*world){both, func(w *world) { w.Token = "now" }}, "create now, until 12:00, look 12:10, again; pending 09:00 09:10"},
		{"it is withdrawn", []func(*world){both, asks("")}, "until 12:00, again; withdrawn 09:00 09:10"},
		{"… when it was created", []func(*world){both, asks(""), child(name("09:00"), ofRequest)}, "record past 09:00, until 12:00, again; pending 09:10, 1 created"},
		{"… when it was done", []func(*world){state(), asks("")}, "until 12:00, again"},
		{"it is replaced", []func(*world){state("09:10"), asks("2026-01-01T08:00")}, "until 12:00, again; pending 08:00, withdrawn 09:10"},
		{"it is done", []func(*world){state()}, "until 12:00, look 12:10"},
		{"a record that cannot be read", []func(*world){func(w *world) {
			w.Schedule.Status.RunFor = &v1alpha1.RunForStatus{Request: request, Pending: []string{"soon", "2026-01-01T09:10:00Z"}}
		}},
			"create past 09:10, until 12:00, look 12:10, again; Created, 1 created"},
		{"the zone was changed since", []func(*world){func(w *world) {
			w.Schedule.Status.RunFor = &v1alpha1.RunForStatus{Request: request, Pending: []string{"2026-01-01T10:00:00+01:00"}}
		}}, "create past 09:00, until 12:00, look 12:10, again; Created, 1 created"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := Observation{Now: today("12:05"), Since: today("11:00"), Times: timesOf(t, "*/10 * * * *", "UTC"), Schedule: &v1alpha1.ScheduledSparkApplication{}, Request: request}
			w.Schedule.Name = "nightly"
			w.Schedule.CreationTimestamp = metav1.NewTime(today("12:00"))
			w.Schedule.Spec.Schedule = "*/10 * * * *"
			w.Schedule.Status.Handled = &v1alpha1.HandledSchedule{Until: metav1.NewTime(today("12:00")), Schedule: "*/10 * * * *"}
			for _, change := range tc.change {
				change(&w)
			}
			before := w.Schedule.DeepCopy()
			if diff := cmp.Diff(tc.want, showPast(Decide(w))); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, w.Schedule); diff != "" {
				t.Errorf("the decision has changed the schedule (-before +after):\n%s", diff)
			}
		})
	}
}

// showPast is show with what is recorded of a request for past times.
func showPast(d Decision) string {
	text := show(d)
	if d.Create != nil && d.Create.Request != "" {
		text = strings.NewReplacer("create ", "create past ", "record ", "record past ").Replace(text)
	}
	if d.PastWaits {
		text = strings.Replace(text, "waits for "+d.Waits.Name, "waits for "+d.Waits.Name+" in the past", 1)
	}
	clocks := func(what string, times []string) string {
		for _, at := range times {
			parsed, err := time.Parse(time.RFC3339, at)
			if err != nil {
				return what + " " + at
			}
			what += parsed.Format(" 15:04")
		}
		return what
	}
	var parts []string
	if r := d.RunFor; r != nil {
		if r.Result != "" {
			parts = append(parts, string(r.Result))
		}
		if len(r.Pending) > 0 {
			parts = append(parts, clocks("pending", r.Pending))
		}
		if r.Created > 0 {
			parts = append(parts, fmt.Sprintf("%d created", r.Created))
		}
		if len(r.Skipped) > 0 {
			parts = append(parts, clocks("skipped", r.Skipped))
		}
	}
	if len(d.Withdrawn) > 0 {
		parts = append(parts, clocks("withdrawn", d.Withdrawn))
	}
	if len(parts) > 0 {
		text += "; " + strings.Join(parts, ", ")
	}
	return text
}

// TestRandomPast: whatever happens to an operator, to the schedule and to its applications, each requested time runs at most once for each
// request, none runs that was not requested, and what can run does.
func TestRandomPast(t *testing.T) {
	runs := 0
	played := randtest.Each(t, 2000, func(seed uint64) {
		w := &pastWorld{randomWorld: newRandomWorld(t, seed), runs: map[string]int{}}
		for range 40 {
			w.step()
		}
		w.check()
		runs += len(w.runs)
	})
	if !t.Failed() && played >= 1000 && runs < 5*played {
		t.Errorf("%d runs in %d worlds: the worlds are too quiet", runs, played)
	}
}

// pastWorld is a world in which past times are requested. It lets an operator crash after each creation and before each record.
type pastWorld struct {
	*randomWorld
	// runs counts creations by name, request and n.
	runs map[string]int
	// requested are the names of the times of the current request.
	requested []string
	// earlier is the text of the last request, and n counts requests.
	earlier      string
	earlierNames []string
	n            int
}

func (w *pastWorld) step() {
	o := &w.o
	switch w.r.IntN(8) {
	case 0, 1:
		w.ask()
	case 2:
		o.Request = ""
		w.requested = nil
	case 3:
		o.Schedule.Spec.Suspend = !o.Schedule.Spec.Suspend
	case 4, 5:
		w.endOne()
	}
	o.Now = o.Now.Add(time.Duration(w.r.IntN(1000)) * time.Second)
	w.goes()
	for looks := 0; w.look(); looks++ {
		if looks > 300 {
			w.t.Fatalf("does not come to rest: %+v", Decide(*o))
		}
	}
}

// ask requests some of the last times of the schedule, or what was requested before.
func (w *pastWorld) ask() {
	w.n++
	if w.earlier != "" && w.r.IntN(3) == 0 {
		w.o.Request, w.requested = w.earlier, w.earlierNames
		return
	}
	var all []string
	w.requested = nil
	at := w.o.Now
	for range 1 + w.r.IntN(4) {
		for range 1 + w.r.IntN(3) {
			at = w.o.Times.Prev(at)
		}
		all = append(all, at.Format(time.RFC3339))
		w.requested = append(w.requested, Name("s", at))
	}
	w.o.Request = fmt.Sprintf("%s #%d", strings.Join(all, ","), w.n)
	w.earlier, w.earlierNames = w.o.Request, w.requested
}

// look decides once and carries it out, unless the operator crashes.
func (w *pastWorld) look() bool {
	w.o.Schedule.Status.Handled = w.handled
	d := Decide(w.o)
	if d.Create == nil || d.Create.Request == "" {
		if recorded := w.o.Schedule.Status.RunFor; d.RunFor != recorded && w.r.IntN(4) == 0 {
			return true // the write has failed
		}
		for _, c := range d.Delete {
			for i := range w.o.Children {
				if w.o.Children[i].Name == c.Name {
					w.o.Children[i].Deleting = true
				}
			}
		}
		if d.Create != nil && !d.Create.Exists {
			w.o.Children = append(w.o.Children, Child{Name: d.Create.Name, Created: w.o.Now})
		}
		w.handled, w.o.Schedule.Status.RunFor = &d.Handled, d.RunFor
		return d.Again
	}
	run := d.Create
	if !run.Exists {
		w.create(run)
		if w.r.IntN(3) == 0 {
			w.o.Since = w.o.Now // another leader
			return true
		}
	}
	w.handled, w.o.Schedule.Status.RunFor = &d.Handled, d.RunFor
	return d.Again
}

func (w *pastWorld) create(run *Run) {
	if !slices.Contains(w.requested, run.Name) {
		w.t.Errorf("%s is run, requested are %v", run.Name, w.requested)
	}
	for _, c := range w.o.Children {
		if c.Name == run.Name || c.mayRun() && w.o.Schedule.Spec.ConcurrencyPolicy != v1alpha1.ConcurrencyAllow {
			w.t.Errorf("%s is created beside %s", run.Name, c.Name)
		}
	}
	key := fmt.Sprint(run.Name, run.Request, w.n)
	if w.runs[key]++; w.runs[key] > 1 {
		w.t.Errorf("%s runs twice for one request", run.Name)
	}
	w.o.Children = append(w.o.Children, Child{Name: run.Name, Created: w.o.Now, Request: run.Request})
}

// check lets everything end, and looks whether all times of the last request have been run or skipped.
func (w *pastWorld) check() {
	w.o.Schedule.Spec.Suspend = true
	for range 20 {
		for i := range w.o.Children {
			w.o.Children[i].Finished = true
		}
		w.goes()
		for looks := 0; w.look(); looks++ {
			if looks > 300 {
				w.t.Fatalf("does not come to rest: %+v", Decide(w.o))
			}
		}
	}
	r := w.o.Schedule.Status.RunFor
	if w.o.Request == "" {
		if r != nil {
			w.t.Errorf("a withdrawn request is recorded: %+v", r)
		}
		return
	}
	if r == nil || len(r.Pending) > 0 || r.Result == "" || r.Result == v1alpha1.RunForRefused || int(r.Created)+len(r.Skipped) != len(w.requested) {
		w.t.Errorf("of %q became %+v", w.o.Request, r)
	}
}
