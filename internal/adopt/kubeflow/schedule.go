// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeflow

import (
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// times translates when a schedule is due, and writes out their defaults.
func times(t *translator, spec map[string]any) {
	schedule, _ := spec["schedule"].(string)
	zone, _ := spec["timeZone"].(string)
	from := "timeZone"
	for _, prefix := range []string{"TZ=", "CRON_TZ="} {
		if rest, ok := strings.CutPrefix(schedule, prefix); ok {
			zone, schedule, _ = strings.Cut(rest, " ")
			from = "schedule"
		}
	}
	if zone == "" || zone == "Local" {
		zone = "UTC"
		t.note("timeZone", "becomes UTC: the zone there is that of the operator's pod; write it if that is another one")
	}
	t.set("schedule", strings.TrimSpace(schedule), "schedule")
	t.set("timeZone", zone, from)
	for field, value := range map[string]any{"concurrencyPolicy": v1alpha1.ConcurrencyAllow, "successfulHistoryLimit": 1, "failedHistoryLimit": 1} {
		if t.made[field] == nil {
			t.write(field, value)
		}
	}
}
