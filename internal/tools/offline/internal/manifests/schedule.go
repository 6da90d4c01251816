// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/cron"
	"github.com/sparkgate/sparkgate/internal/job/tick"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
)

// schedule checks a schedule, and its template as an application.
func (c *collector) schedule(text []byte, namespace string, all []Object) ([]Finding, error) {
	var schedule v1alpha1.ScheduledSparkApplication
	if !c.decode(text, &schedule) {
		return c.findings, nil
	}
	var mistake *cron.Error
	times, err := cron.Parse(schedule.Spec.Schedule, schedule.Spec.TimeZone)
	if errors.As(err, &mistake) {
		c.add(Finding{Field: "spec." + mistake.Field, Message: "value " + quoted(mistake.Value) + ": " + mistake.Problem})
	}
	if request, asked := schedule.Annotations[v1alpha1.RunForAnnotation]; asked && err == nil {
		c.pastTimes(request, times)
	}
	c.rhythm(schedule.Spec.Schedule)
	c.missedRuns(&schedule.Spec)
	if len(schedule.Spec.Template.Spec.Raw) == 0 {
		return c.findings, nil // the schema reports it
	}
	application, err := templated(&schedule, namespace)
	if err != nil {
		return nil, err
	}
	found, err := application.check(all)
	for _, f := range found {
		f.Field = strings.Replace(f.Field, "spec", "spec.template.spec", 1)
		// An application waits for another version of the operator, but a schedule is stalled.
		f.Warning = f.Warning && !f.stops
		c.add(f)
	}
	return c.findings, err
}

// pastTimes warns about a request for past times that the operator would refuse, whatever the time is. The schedule works
// nevertheless.
func (c *collector) pastTimes(request string, times *cron.Schedule) {
	lastOfAll := time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	if _, err := tick.PastTimes(request, times, lastOfAll); err != nil {
		c.add(Finding{Warning: true, Field: "metadata.annotations[" + v1alpha1.RunForAnnotation + "]", Message: err.Error()})
	}
}

// rhythms are schedules that mean something else than most people think. A row's pattern matches the five fields.
var rhythms = []struct {
	pattern *regexp.Regexp
	says    string
}{
	{regexp.MustCompile(`^\*/(?:[6-9]\d|\d{3,}) `), "is due once an hour, at minute 0, because no minute is that far: for a longer interval, write it as in @every 90m"},
	{regexp.MustCompile(`^\S+ \*/(?:2[4-9]|[3-9]\d|\d{3,}) `), "is due once a day, in hour 0, because no hour is that far: for a longer interval, write it as in @every 36h"},
	{regexp.MustCompile(`^\S+ \S+ [^*?\s]\S* \S+ [^*?\s]`), "is due on each day that one of day of month and day of week names, not only on days that both name: write * for one of them"},
}

// rhythm warns about such a schedule.
func (c *collector) rhythm(schedule string) {
	for _, r := range rhythms {
		if r.pattern.MatchString(strings.Join(strings.Fields(schedule), " ")) {
			c.add(Finding{Warning: true, Field: "spec.schedule", Message: "value " + quoted(schedule) + " " + r.says})
		}
	}
}

// leastDeadline is how long another operator may take to take over.
const leastDeadline = 10 * time.Second

// missedRuns warns about settings with which runs are missed or fail although nothing is wrong with them.
func (c *collector) missedRuns(spec *v1alpha1.ScheduledSparkApplicationSpec) {
	if deadline := spec.StartingDeadline; deadline != nil && deadline.Duration < leastDeadline {
		c.add(Finding{Warning: true, Field: "spec.startingDeadline", Message: fmt.Sprintf(
			"a run that starts later than %s is missed, and one may when another operator takes over: set %s or more, or remove it", deadline.Duration, leastDeadline)})
	}
	var app v1alpha1.SparkApplicationSpec
	if json.Unmarshal(spec.Template.Spec.Raw, &app) != nil {
		return
	}
	if app.Server != nil {
		c.add(Finding{Field: "spec.template.spec.server", Message: validate.ServerNotScheduled})
	}
	if app.Driver.PodName == "" {
		return
	}
	if spec.ConcurrencyPolicy != v1alpha1.ConcurrencyAllow && app.Retention != nil && app.Retention.Policy == v1alpha1.RetentionNever {
		return // only one application has it at a time
	}
	c.add(Finding{Warning: true, Field: "spec.template.spec.driver.podName", Message: "each run is an application of its own, and cannot start while a driver of " +
		"that name is kept of the run before (retention): remove it"})
}

// templated returns the application that the schedule would create.
func templated(schedule *v1alpha1.ScheduledSparkApplication, namespace string) (*Object, error) {
	o := &Object{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.SparkApplicationKind, Namespace: namespace, Name: schedule.Name}
	text, err := json.Marshal(map[string]any{
		"apiVersion": o.APIVersion, "kind": o.Kind, "metadata": map[string]any{"name": o.Name, "namespace": namespace},
		"spec": json.RawMessage(schedule.Spec.Template.Spec.Raw),
	})
	o.JSON = text
	return o, err
}

func quoted(text string) string {
	value, _ := json.Marshal(text)
	return string(value)
}
