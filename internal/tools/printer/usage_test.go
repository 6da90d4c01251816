// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package printer

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/internal/job/usage"
)

// TestUsageAsCSV: a row says for which time its numbers are, and in which currency its costs.
func TestUsageAsCSV(t *testing.T) {
	t.Parallel()
	price, month := 0.5, time.Date(2026, 11, 1, 0, 0, 0, 0, time.FixedZone("", 3600))
	record := usage.Record{Queue: "team-a", Outcome: usage.Failed, From: month, Until: month.Add(time.Hour), Granted: usage.Amounts{CPU: 7200, Memory: 3600}}
	window := usage.Window{From: month, Until: month.AddDate(0, 1, 0)}
	report := usage.Summarize([]usage.Record{record}, window, usage.ByQueue, &usage.Prices{Currency: "EUR", Default: usage.Price{CoreHour: &price}})
	var out strings.Builder
	if err := WriteUsageCSV(&out, report); err != nil {
		t.Fatal(err)
	}
	want := "key,attempts,granted_core_hours,granted_gib_hours,granted_gpu_hours,requested_core_hours,requested_gib_hours,requested_gpu_hours," +
		"failed_core_hours,failed_gib_hours,failed_gpu_hours,preempted_core_hours,preempted_gib_hours,preempted_gpu_hours," +
		"stopped_core_hours,stopped_gib_hours,stopped_gpu_hours,cost,wasted_cost,currency,from,until\n" +
		"team-a,1,2,1,0,0,0,0,2,1,0,0,0,0,0,0,0,1,1,EUR,2026-10-31T23:00:00Z,2026-11-30T23:00:00Z\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("CSV (-want +got):\n%s", diff)
	}
}
