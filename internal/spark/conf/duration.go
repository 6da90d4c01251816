// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// timeUnits are the suffixes of durations that Spark knows (JavaUtils.timeStringAs).
var timeUnits = map[string]time.Duration{
	"us": time.Microsecond, "ms": time.Millisecond, "s": time.Second, "m": time.Minute, "min": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
}

// duration matches a whole number with a unit. With at most 12 digits, its value in seconds cannot overflow in any
// unit.
var duration = regexp.MustCompile(`^([0-9]{1,12})([a-z]+)?$`)

// Seconds returns a duration in whole seconds, rounded down, or fallback if the key is not set. A number without a unit
// is in seconds. It returns an error for anything else.
func (p Properties) Seconds(key string, fallback int64) (int64, error) {
	value, ok := p.Lookup(key)
	if !ok {
		return fallback, nil
	}
	parts := duration.FindStringSubmatch(strings.ToLower(trim(value)))
	unit := time.Second
	if parts != nil && parts[2] != "" {
		unit = timeUnits[parts[2]]
	}
	if parts == nil || unit == 0 {
		return 0, p.Wrong(key, "is not a duration", "set a whole number followed by s, min or h, such as 30s")
	}
	number, err := strconv.ParseInt(parts[1], 10, 64)
	if unit < time.Second {
		return number / int64(time.Second/unit), err
	}
	return number * int64(unit/time.Second), err
}
