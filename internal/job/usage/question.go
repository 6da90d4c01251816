// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
)

// ParseKey returns the key that a user names: queue, namespace, application or label=NAME.
func ParseKey(by string) (Key, error) {
	switch by {
	case "queue":
		return ByQueue, nil
	case "namespace":
		return ByNamespace, nil
	case "application":
		return ByApplication, nil
	}
	label, ok := strings.CutPrefix(by, "label=")
	if !ok {
		return nil, fmt.Errorf("unknown key %q; use queue, namespace, application or label=NAME", by)
	}
	if problems := validation.IsQualifiedName(label); len(problems) > 0 {
		return nil, fmt.Errorf("%q is not the name of a label: %s", label, problems[0])
	}
	return ByLabel(label), nil
}

// maxSince is the longest duration that a user may give.
const maxSince = 100 * 365 * 24 * time.Hour

// ParseSince reads a duration, which may also be in days, such as 7d.
func ParseSince(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n float64
		n, err = strconv.ParseFloat(days, 64)
		d = time.Duration(min(n, maxSince.Hours()/24+1) * 24 * float64(time.Hour))
	}
	if err == nil && (d <= 0 || d > maxSince) {
		err = errors.New("out of range")
	}
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration; use days, hours or minutes, such as 7d, 12h or 90m", text)
	}
	return d, nil
}

// ParseMoment reads the start or the end of a window: a time in RFC 3339, a date in UTC, or a duration before now.
func ParseMoment(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	back, err := ParseSince(text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%w; or a date in UTC such as 2026-11-01, or a time such as 2026-11-01T00:00:00+01:00", err)
	}
	return now.Add(-back), nil
}

// ParseWindow reads a window, which ends now at the latest; an empty until means now.
func ParseWindow(since, until string, now time.Time) (Window, error) {
	from, err := ParseMoment(since, now)
	if err != nil {
		return Window{}, fmt.Errorf("--since: %w", err)
	}
	to := now
	if until != "" {
		if to, err = ParseMoment(until, now); err != nil {
			return Window{}, fmt.Errorf("--until: %w", err)
		}
	}
	if to.After(now) {
		to = now
	}
	if !from.Before(to) {
		return Window{}, fmt.Errorf("--since: %s is not before the end, %s", from.UTC().Format(time.RFC3339), to.UTC().Format(time.RFC3339))
	}
	return Window{From: from, Until: to}, nil
}
