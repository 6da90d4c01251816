// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedules

import (
	"encoding/json"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
	"github.com/sparkgate/sparkgate/test/integration/env"
)

// mistake is one in a schedule, with the words in which it is reported: by the API server or the operator, and by the linter.
type mistake struct {
	change func(*v1alpha1.ScheduledSparkApplication)
	words  string
	// lint are the linter's words where they are others: it writes "value x" behind the field.
	lint string
}

func withSchedule(schedule string) func(*v1alpha1.ScheduledSparkApplication) {
	return func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.Schedule = schedule }
}

func inZone(zone string) func(*v1alpha1.ScheduledSparkApplication) {
	return func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.TimeZone = zone }
}

// inTemplate changes the first place in the template's spec.
func inTemplate(old, changed string) func(*v1alpha1.ScheduledSparkApplication) {
	return func(s *v1alpha1.ScheduledSparkApplication) {
		s.Spec.Template.Spec.Raw = []byte(strings.Replace(string(s.Spec.Template.Spec.Raw), old, changed, 1))
	}
}

// TestRefusedSchedules: what the schema can know is refused when it is applied, and the linter says so in the same words.
func TestRefusedSchedules(t *testing.T) {
	const (
		fields = "set schedule to five fields (minute, hour, day of month, month, day of week), such as '30 2 * * *', or @every with a duration, or one of @yearly, "
		every  = "set schedule to @every with a duration of 1m to 8784h, such as @every 90m"
		noZone = "set schedule to times only: remove TZ=, and set timeZone"
		labels = "set labels and annotations only: applications are named after the schedule and the time, and are created in its namespace"
	)
	w := newWorld(t)
	for name, m := range map[string]mistake{
		"four fields":             {change: withSchedule("* * * *"), words: fields},
		"six fields":              {change: withSchedule("0 * * * * *"), words: fields},
		"nothing":                 {change: withSchedule(" "), words: fields},
		"an unknown word":         {change: withSchedule("@reboot"), words: fields},
		"every five seconds":      {change: withSchedule("@every 5s"), words: every},
		"every 59 seconds":        {change: withSchedule("@every 59.9s"), words: every},
		"every two years":         {change: withSchedule("@every 17520h"), words: every},
		"every without a unit":    {change: withSchedule("@every 90"), words: fields},
		"a zone in the schedule":  {change: withSchedule("TZ=Europe/Zurich 30 2 * * *"), words: noZone},
		"the same of robfig/cron": {change: withSchedule("CRON_TZ=Europe/Zurich 30 2 * * *"), words: noZone},
		"the zone Local":          {change: inZone("Local"), words: "set timeZone to a name such as Europe/Zurich, or to UTC: Local is the zone of the machine that the operator runs on"},
		"a name that is too long": {
			change: func(s *v1alpha1.ScheduledSparkApplication) { s.Name = strings.Repeat("a", 53) },
			words:  "set metadata.name to a DNS label of at most 52 characters, because the names of its applications are longer",
		},
		"a template with a name":       {change: func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.Template.Metadata.Name = "mine" }, words: labels},
		"a template with a namespace":  {change: func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.Template.Metadata.Namespace = "other" }, words: labels},
		"a template with generateName": {change: func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.Template.Metadata.GenerateName = "x-" }, words: labels},
		"a policy that does not exist": {change: func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.ConcurrencyPolicy = "Queue" }, words: `"Forbid", "Allow", "Replace"`, lint: "set Forbid, Allow or Replace"},
	} {
		t.Run(name, func(t *testing.T) {
			s := w.schedule("nightly", m.change)
			if lint := linted(t, s); !strings.Contains(lint, first(m.lint, m.words)) {
				t.Errorf("the linter says %q, want %q", lint, first(m.lint, m.words))
			}
			if err := env.Client().Create(t.Context(), s); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), m.words) {
				t.Errorf("the API server says %v, want %q", err, m.words)
			}
		})
	}
}

// TestStalledSchedules: what only the operator can know stalls the schedule with field, value and remedy, as the linter says. Nothing of
// it is run, and nothing of the past once the mistake is corrected.
func TestStalledSchedules(t *testing.T) {
	const place = "spec.template.spec."
	w := newWorld(t)
	for name, m := range map[string]mistake{
		"30-february":   {change: withSchedule("0 0 30 2 *"), words: `spec.schedule "0 0 30 2 *": it never fires: no year has such a day; choose another day of month or month`},
		"minute-61":     {change: withSchedule("61 * * * *"), words: `spec.schedule "61 * * * *": the minute "61" is not valid: use 0-59`},
		"half-a-second": {change: withSchedule("@every 60.5s"), words: `spec.schedule "@every 60.5s": an interval must be a whole number of seconds`},
		"unknown-zone":  {change: inZone("Europe/Zurick"), words: `spec.timeZone "Europe/Zurick": it is not in the IANA time zone database: write a name such as Europe/Zurich or America/New_York, or UTC`},
		"a-path":        {change: inZone("../../etc/passwd"), words: `spec.timeZone "../../etc/passwd": it is not in the IANA time zone database`},
		"template-value": {
			change: inTemplate(`"type":"Python"`, `"type":"Pyton"`), words: place + `type: Unsupported value: "Pyton": supported values: "Java", "Scala", "Python", "R"`,
			lint: place + `type: value "Pyton" is not known: set Java, Scala, Python or R`,
		},
		"template-field": {
			change: inTemplate(`"type":"Python"`, `"type":"Python","executer":{}`), words: place + `executer: unknown field "executer": write executor, or remove it`,
		},
		"template-property": {
			change: inTemplate(`"type":"Python"`, `"type":"Python","sparkConf":{"spark.master":"local"}`),
			words:  place + `sparkConf[spark.master]: value "local" cannot be set because the operator owns this property: remove it: drivers always use the cluster that they run in`,
		},
		"template-rule": {
			change: inTemplate(`"memory":"512m"`, `"memory":"1 GB"`), words: `.memory: Invalid value: "1 GB": set memory in Spark's notation`, lint: `.memory: value "1 GB"`,
		},
		"template-version": {
			change: inTemplate(`"sparkVersion":"4.1`, `"sparkVersion":"4.9`), words: place + `sparkVersion: value "4.9`, lint: place + `sparkVersion: value "4.9`,
		},
		"template-without-image": {
			change: inTemplate(`"image"`, `"imagePullPolicy":"Always","arguments":["x"],"mainClass"`), words: place + `image: Required value`, lint: place + `image: the field is required`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := w.apply(name, m.change)
			ready, stalled := condition(s, "Ready"), condition(s, "Stalled")
			if ready.Status != metav1.ConditionFalse || ready.Reason != "InvalidSpec" || stalled.Status != metav1.ConditionTrue || !strings.Contains(ready.Message, m.words) {
				t.Errorf("Ready is %+v, Stalled %q; want InvalidSpec and %q", ready, stalled.Status, m.words)
			}
			if s.Status.NextRunTime != "" {
				t.Errorf("it is due at %s", s.Status.NextRunTime)
			}
			lint := linted(t, s)
			for _, part := range strings.SplitN(first(m.lint, m.words), `": `, 2) { // the linter writes "value" in between
				if part = strings.TrimPrefix(part, "spec.schedule "); !strings.Contains(lint, strings.TrimPrefix(part, "spec.timeZone ")) {
					t.Errorf("the linter says %q, want %q", lint, part)
				}
			}
			w.pass(s, 3*day)
			if n := len(w.children()); n != 0 {
				t.Fatalf("%d applications of a schedule with a mistake", n)
			}
		})
	}
	s := w.apply("corrected", withSchedule("61 * * * *"))
	w.pass(s, 3*day)
	s.Spec.Schedule = "@every 24h"
	if err := env.Client().Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	w.observed(s)
	if n := len(w.children()); n != 0 || condition(s, "Ready").Status != metav1.ConditionTrue {
		t.Fatalf("%d applications of the past, Ready is %+v", n, condition(s, "Ready"))
	}
	w.pass(s, day)
	w.becomes(s, "run once", func(s *v1alpha1.ScheduledSparkApplication) bool { return s.Status.ActiveCount == 1 })
}

func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// linted returns what the linter has to correct in a schedule.
func linted(t *testing.T, s *v1alpha1.ScheduledSparkApplication) string {
	t.Helper()
	s = s.DeepCopy()
	s.APIVersion, s.Kind = v1alpha1.GroupVersion.String(), v1alpha1.ScheduledSparkApplicationKind
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	found, err := offline.Lint([]offline.File{{Name: "schedule.json", Text: text}})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range found.Findings {
		if !f.Warning {
			lines = append(lines, f.String())
		}
	}
	return strings.Join(lines, "\n")
}
