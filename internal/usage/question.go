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
		return nil, fmt.Errorf("there is no key %q; use queue, namespace, application or label=NAME", by)
	}
	if problems := validation.IsQualifiedName(label); len(problems) > 0 {
		return nil, fmt.Errorf("%q is not the name of a label: %s", label, problems[0])
	}
	return ByLabel(label), nil
}

// longestSince is how far back a user may ask at most.
const longestSince = 100 * 365 * 24 * time.Hour

// ParseSince reads a duration that may be in days.
func ParseSince(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n float64
		n, err = strconv.ParseFloat(days, 64)
		d = time.Duration(min(n, longestSince.Hours()/24+1) * 24 * float64(time.Hour))
	}
	if err == nil && (d <= 0 || d > longestSince) {
		err = errors.New("out of range")
	}
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration; use days, hours or minutes, such as 7d, 12h or 90m", text)
	}
	return d, nil
}
