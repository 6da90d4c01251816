// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/queueing/embedded/simulator"
)

const job = "{type: Python, sparkVersion: 4.1.4, image: i, mainApplicationFile: \"local:///a.py\"}"

// scheduling returns a stream with a schedule of that spec, which is followed for a day, and more keys of the document
// without a kind.
func scheduling(spec, more string) string {
	if !strings.Contains(spec, "template:") {
		spec += ", template: {spec: " + job + "}"
	}
	return "kind: ScheduledSparkApplication\nmetadata: {name: a}\nspec: {" + spec + "}\n---\n" + more
}

const aDay = "schedules: {from: 2026-03-28T00:00:00Z, until: 2026-03-29T00:00:00Z, runs: [{name: a, runFor: 1h}]}\n"

func TestMistakesOfSchedules(t *testing.T) {
	t.Parallel()
	daily := `schedule: "@daily"`
	tests := map[string]struct{ stream, want string }{
		"no runs":             {scheduling(daily, "arrivals: []"), `s.yaml:5: schedules: is missing; say from when until when schedules are followed, and how long their runs take`},
		"another version":     {"apiVersion: v1\n" + scheduling(daily, aDay), `s.yaml:1: ScheduledSparkApplication a: apiVersion: "v1" is not known; write sparkgate.io/v1alpha1`},
		"a schedule":          {scheduling(`schedule: "0 0 30 2 *"`, aDay), `s.yaml:3: ScheduledSparkApplication a: spec.schedule: value "0 0 30 2 *": it never fires: no year has such a day; choose another day of month or month`},
		"a template":          {scheduling(daily+", template: {spec: {type: Pyton}}", aDay), `s.yaml:3: ScheduledSparkApplication a: spec.template.spec.type: value "Pyton" is not known: set Java, Scala, Python or R`},
		"another gate":        {scheduling(daily+", template: {spec: "+strings.Replace(job, "{", "{queue: {gate: Kueue, name: q}, ", 1)+"}", aDay), `s.yaml:1: ScheduledSparkApplication a: spec.template.spec.queue.gate: value "Kueue" does not ask a SparkQueue: remove it, or leave the schedule out`},
		"no bound":            {scheduling(daily+", template: {spec: "+strings.Replace(job, "{", `{sparkConf: {spark.executor.instances: "x"}, `, 1)+"}", aDay), "s.yaml:3: ScheduledSparkApplication a: spec.template.spec.sparkConf[spark.executor.instances]: "},
		"twice":               {scheduling(daily, scheduling(daily, aDay)), `s.yaml:6: ScheduledSparkApplication a: metadata.name: another ScheduledSparkApplication already has the name default/a; choose another`},
		"not listed":          {scheduling(daily, strings.Replace(aDay, "{name: a, runFor: 1h}", "", 1)), `schedules.runs: default/a is missing; say how long its runs take: {namespace: default, name: a, runFor: 10m}`},
		"listed twice":        {scheduling(daily, strings.Replace(aDay, "[", "[{name: a, runFor: 1h}, ", 1)), `schedules.runs[1].name: default/a is listed twice; remove one`},
		"unknown":             {scheduling(daily, strings.Replace(aDay, "[", "[{name: b, runFor: 1h}, ", 1)), `s.yaml:5: schedules.runs[0].name: no document describes the ScheduledSparkApplication default/b; correct the name or the namespace`},
		"no time":             {scheduling(daily, strings.Replace(aDay, ", runFor: 1h", "", 1)), `s.yaml:5: schedules.runs[0].runFor: is missing; say how long it runs once it is admitted, such as 10m`},
		"a bad time":          {scheduling(daily, strings.Replace(aDay, "1h", "1 hour", 1)), `s.yaml:5: schedules.runs[0].runFor: expected a duration such as 30s, 5m or 1h30m, found a string: "1 hour"`},
		"no beginning":        {scheduling(daily, strings.Replace(aDay, "from: 2026-03-28T00:00:00Z, ", "", 1)), `schedules.from: is missing; write a time such as 2026-11-23T00:00:00+01:00`},
		"a date only":         {scheduling(daily, strings.Replace(aDay, "T00:00:00Z", "", 1)), `s.yaml:5: schedules.from: expected a time such as 2026-01-31T12:00:00Z, found a string: "2026-03-28"`},
		"a fraction":          {scheduling(daily, strings.Replace(aDay, "00Z", "00.5Z", 1)), `schedules.from: "2026-03-28T00:00:00.5Z" has a fraction of a second; write whole seconds`},
		"backwards":           {scheduling(daily, strings.Replace(aDay, "until: 2026-03-29", "until: 2026-03-28", 1)), `schedules.until: "2026-03-28T00:00:00Z" is not after from; write a later time`},
		"too long":            {scheduling(daily, strings.Replace(aDay, "until: 2026", "until: 2028", 1)), `schedules.until: "2028-03-29T00:00:00Z" is more than 366 days after from; write an earlier time`},
		"an unknown key":      {scheduling(daily, strings.Replace(aDay, "runFor: 1h", "runFor: 1h, queue: q", 1)), `s.yaml:5: schedules.runs[0].queue: unknown field "queue": remove it, or move it to where it belongs`},
		"one that comes late": {happens + "changes: [{apply: {kind: ScheduledSparkApplication}}]", `s.yaml:2: ScheduledSparkApplication: kind: a ScheduledSparkApplication cannot come or change later; write it as a document`},
		"a priority class": {
			"kind: SparkQueue\nmetadata: {name: q}\nspec: {priorityClassNames: [low]}\n---\n" + scheduling(daily+", template: {spec: "+strings.Replace(job, "{", "{queue: {name: q, priorityClassName: high}, ", 1)+"}", aDay),
			`s.yaml:7: ScheduledSparkApplication a: spec.template.spec.queue.priorityClassName: priority class "high" is not allowed in queue q: use one of "low", or have an administrator add it to spec.priorityClassNames of queue q`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, _, err := parse(tc.stream); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v\nwant %s", err, tc.want)
			}
		})
	}
}

// TestWarningsOfSchedules: there are warnings of what is played differently than in a cluster.
func TestWarningsOfSchedules(t *testing.T) {
	t.Parallel()
	template := "template: {spec: " + strings.Replace(job, "{", "{sparkConfigMap: c, dynamicAllocation: {enabled: true, minExecutors: 1, maxExecutors: 2}, ", 1) + "}"
	_, warnings, err := parse(scheduling(`suspend: true, schedule: "@daily", `+template, aDay))
	want := []string{
		"s.yaml:3: warning: ScheduledSparkApplication a: spec.template.spec.sparkConfigMap: the properties in ConfigMap c are not known here",
		"s.yaml:3: warning: ScheduledSparkApplication a: spec.template.spec.dynamicAllocation: only the executors of the base gang are played",
		"s.yaml:3: warning: ScheduledSparkApplication a: spec.suspend: it is suspended, so nothing of it runs",
	}
	if diff := cmp.Diff(want, warnings); diff != "" || err != nil {
		t.Errorf("error %v, warnings (-want +got):\n%s", err, diff)
	}
}

// TestFollower checks which runs are created and missed in a period that includes its first instant and excludes its
// last one.
func TestFollower(t *testing.T) {
	t.Parallel()
	const wholeDay, hour = "2026-03-29T00:00:00Z", time.Hour
	for name, tc := range map[string]struct {
		spec, until string
		runFor      time.Duration
		want        string
	}{
		"from the first instant on, not at the last": {`schedule: "0 0,12 * * *"`, wholeDay, hour, "00:00 12:00"},
		"forbid":              {`schedule: "0 0,1,2,3 * * *"`, wholeDay, 2 * hour, "00:00 01:00-ConcurrencyForbidden 02:00 03:00-ConcurrencyForbidden"},
		"forbid, and wait":    {`startingDeadline: 30m, schedule: "0 0,1,3 * * *"`, wholeDay, 90 * time.Minute, "00:00 01:00 03:00"},
		"forbid, and give up": {`startingDeadline: 30m, schedule: "0 0,1,3 * * *"`, wholeDay, 2 * hour, "00:00 01:00-StartingDeadlineExceeded 03:00"},
		"allow":               {`concurrencyPolicy: Allow, schedule: "0 0,1,2 * * *"`, wholeDay, 9 * hour, "00:00 01:00 02:00"},
		"replace":             {`concurrencyPolicy: Replace, schedule: "0 0,1,2 * * *"`, wholeDay, 9 * hour, "00:00 deleted-00:00 01:00 deleted-01:00 02:00"},
		"suspended":           {`suspend: true, schedule: "@hourly"`, wholeDay, hour, ""},
		"wait beyond the end": {`startingDeadline: 3h, schedule: "0 * * * *"`, "2026-03-28T02:00:00Z", 150 * time.Minute, "00:00 01:00"},
		"give up after it":    {`startingDeadline: 90m, schedule: "0 * * * *"`, "2026-03-28T02:00:00Z", 4 * hour, "00:00 01:00-StartingDeadlineExceeded"},
		"in the time zone":    {`timeZone: Asia/Kolkata, schedule: "0 6 * * *"`, wholeDay, hour, "06:00"},
		"more than the queue has": {`schedule: "0 0,12 * * *", template: {spec: ` + strings.Replace(job, "{", "{driver: {cores: 9}, ", 1) + "}", wholeDay, hour,
			"00:00 deleted-00:00 12:00"},
		"skipped by the clock": {`timeZone: Europe/Zurich, schedule: "30 2 * * *"`, "2026-03-29T12:00:00Z", hour, "02:30 03:00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stream := scheduling(tc.spec, strings.NewReplacer(wholeDay, tc.until, "1h", tc.runFor.String()).Replace(aDay))
			s, _, err := parse("kind: SparkQueue\nmetadata: {name: default}\nspec: {namespaceSelector: {}, flavors: [{name: default, quotas: [{resource: cpu, nominal: 9}]}]}\n---\n" + stream)
			if err != nil {
				t.Fatal(err)
			}
			times, got := map[string]string{}, []string{}
			_, err = simulator.Run(s, func(e simulator.Event) error {
				at, _ := time.Parse(time.RFC3339, e.ScheduledFor)
				switch e.Event {
				case simulator.Created:
					times[e.App] = at.Format("15:04")
					got = append(got, times[e.App])
				case simulator.Missed:
					reason, _, _ := strings.Cut(e.Reason, ":")
					got = append(got, fmt.Sprintf("%s-%s", at.Format("15:04"), reason))
				case simulator.Deleted:
					got = append(got, "deleted-"+times[e.App])
				}
				return nil
			})
			if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" || err != nil {
				t.Errorf("error %v, runs (-want +got):\n%s", err, diff)
			}
		})
	}
}
