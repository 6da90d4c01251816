// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cron

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // an image without a database of time zones knows them all the same

	robfig "github.com/robfig/cron/v3"
)

// MinInterval is the smallest interval of "@every".
const MinInterval = time.Minute

// maxInterval is the largest interval of "@every"; for rarer runs a schedule names a date.
const maxInterval = 366 * 24 * time.Hour

// Error is a schedule or time zone that cannot be used.
type Error struct {
	// Field is "schedule" or "timeZone", and Value is the field's value.
	Field, Value string
	// Problem says what is wrong and what to write instead.
	Problem string
}

func (e *Error) Error() string { return fmt.Sprintf("%s %q: %s", e.Field, e.Value, e.Problem) }

// Parse reads a schedule: five fields (minute, hour, day of month, month, day of week), "@every" with a duration of at
// least MinInterval, or one of @yearly, @annually, @monthly, @weekly, @daily, @midnight and @hourly. The zone is a name
// of the IANA database; empty means UTC. An error is always an *Error.
func Parse(schedule, zone string) (*Schedule, error) {
	location, err := loadZone(zone)
	if err != nil {
		return nil, err
	}
	problem := func(format string, args ...any) (*Schedule, error) {
		return nil, &Error{"schedule", schedule, fmt.Sprintf(format, args...)}
	}
	if strings.HasPrefix(schedule, "TZ=") || strings.HasPrefix(schedule, "CRON_TZ=") {
		return problem("a schedule cannot contain a time zone: write it in timeZone")
	}
	if interval, found := strings.CutPrefix(schedule, "@every "); found {
		every, err := parseInterval(interval)
		if err != nil {
			return problem("%v", err)
		}
		return &Schedule{zone: location, every: every}, nil
	}
	fields, err := parseFields(schedule)
	if err != nil {
		return problem("%v", err)
	}
	s := &Schedule{zone: location, fields: fields, rhythmic: fields.Hour&everyHour == everyHour}
	if s.nextNamed(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return problem("it never fires: no year has such a day; choose another day of month or month")
	}
	return s, nil
}

const everyHour = 1<<24 - 1

func parseInterval(text string) (time.Duration, error) {
	every, err := time.ParseDuration(strings.TrimSpace(text))
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is not a duration: write @every 90m, or @every 6h", text)
	case every < MinInterval || every > maxInterval:
		return 0, fmt.Errorf("an interval must be at least 1m and at most %s", "8784h")
	case every%time.Second != 0:
		return 0, fmt.Errorf("an interval must be a whole number of seconds")
	}
	return every, nil
}

// fieldNames are the fields of a schedule, in their order.
var fieldNames = []struct {
	name   string
	option robfig.ParseOption
	values string
}{
	{"minute", robfig.Minute, "0-59"},
	{"hour", robfig.Hour, "0-23"},
	{"day of month", robfig.Dom, "1-31"},
	{"month", robfig.Month, "1-12 or JAN-DEC"},
	{"day of week", robfig.Dow, "0-6 or SUN-SAT, 0 is Sunday"},
}

func parseFields(schedule string) (*robfig.SpecSchedule, error) {
	options := robfig.Descriptor
	if !strings.HasPrefix(schedule, "@") {
		texts := strings.Fields(schedule)
		if len(texts) != len(fieldNames) {
			return nil, fmt.Errorf("it has %d fields instead of five: minute, hour, day of month, month, day of week; for example \"30 2 * * *\" fires at 02:30 every day", len(texts))
		}
		for i, field := range fieldNames {
			options |= field.option
			if _, err := robfig.NewParser(field.option).Parse(texts[i]); err != nil {
				return nil, fmt.Errorf("the %s %q is not valid: use %s, ranges a-b, steps */n and lists a,b", field.name, texts[i], field.values)
			}
		}
	}
	parsed, err := robfig.NewParser(options).Parse(schedule)
	if err != nil {
		return nil, fmt.Errorf("%w; known are @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly and @every DURATION", err)
	}
	fields, ok := parsed.(*robfig.SpecSchedule)
	if !ok {
		return nil, fmt.Errorf("write @every, one blank and a duration")
	}
	fields.Location = time.UTC
	return fields, nil
}

// loadZone returns a time zone of the IANA database. It refuses "Local", which would be the time zone of the machine on
// which the operator runs.
func loadZone(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	if name == "Local" {
		return nil, &Error{"timeZone", name, "the operator's local time depends on where it runs: write a name of the IANA database, such as Europe/Zurich, or UTC"}
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, &Error{"timeZone", name, "it is not in the IANA time zone database: write a name such as Europe/Zurich or America/New_York, or UTC"}
	}
	return zone, nil
}
