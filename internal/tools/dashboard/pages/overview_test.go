// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/internal/tools/dashboard/viewer"
)

// at returns an application whose stage began some time ago, as an application and as its driver.
func at(t *testing.T, name, stage string, now time.Time, ago time.Duration) *viewer.Application {
	t.Helper()
	when := now.Add(-ago).Format(time.RFC3339)
	a := row(t, name, stage, fmt.Sprintf(`,"times":{"queued":%q,"driverStarted":%q}`, when, when))
	a.App.Status.Conditions[0].LastTransitionTime.Time = now.Add(-ago)
	return a
}

// TestOverview: who has waited longest comes first, and of what failed or started the latest.
func TestOverview(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	all := []*viewer.Application{
		at(t, "fails-late", "Failed", now, time.Minute), at(t, "failed-long-ago", "Failed", now, 25*time.Hour), at(t, "wrong", "InvalidSpec", now, time.Hour),
		at(t, "done", "Succeeded", now, time.Minute), at(t, "new", "Running", now, time.Second), at(t, "old", "Running", now, time.Hour),
	}
	for i := range 7 {
		all = append(all, at(t, fmt.Sprintf("waits-%d", i), "Queued", now, time.Duration(i)*time.Minute))
	}
	p := overviewPage{Now: now}
	p.take(all)
	names := func(rows []overviewRow) string {
		var out []string
		for i := range rows {
			out = append(out, rows[i].Name)
		}
		return strings.Join(out, " ")
	}
	got := []any{p.Total, p.Waiting, p.Running, p.FailedLately, names(p.Waits), names(p.Failed), names(p.Started)}
	want := []any{13, 7, 2, 2, "waits-6 waits-5 waits-4 waits-3 waits-2", "fails-late wrong", "new old"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
