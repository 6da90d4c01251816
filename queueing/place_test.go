// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queueing

import (
	"testing"
	"time"
)

func TestPlace(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 1, 2, 12, 0, 0, 999_999_999, time.FixedZone("east", 3600))
	first := Ask{QueuedAt: noon}
	for name, tt := range map[string]struct {
		at    time.Time
		place string
		later bool
	}{
		"the same":          {noon, first.Place(), false},
		"the same second":   {noon.Truncate(time.Second), first.Place(), false},
		"a second later":    {noon.Add(time.Second), first.Place(), true},
		"a second earlier":  {noon.Add(-time.Second), first.Place(), false},
		"no annotation":     {noon, "", false},
		"somebody's text":   {noon, "yesterday", false},
		"in another zone":   {noon.UTC(), first.Place(), false},
		"as the status has": {noon.UTC().Add(time.Hour).Truncate(time.Second), first.Place(), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ask := Ask{QueuedAt: tt.at}
			got := LaterPlace(map[string]string{PlaceAnnotation: tt.place}, map[string]string{PlaceAnnotation: ask.Place()})
			if got != tt.later {
				t.Errorf("%s is later than %q: %t, want %t", tt.at, tt.place, got, tt.later)
			}
		})
	}
}
