// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package charts

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestStages: the picture has a segment for each stage, as wide as it was long, and says the same in words.
func TestStages(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		stage, times string
		// want is each segment with its width in whole percents, and what each step took.
		want, took, text string
	}{
		"nothing yet": {"Suspended", ``, "", "", ""},
		"queued": {"Queued", `"queued":"2026-01-01T10:00:00Z"`, "waits 100", "Queued 120m",
			"Queued at 10:00:00 UTC, for 120m"},
		"admitted": {"Submitting", `"queued":"2026-01-01T10:00:00Z","admitted":"2026-01-01T11:30:00Z"`, "waits 75 begins 25", "Queued 90m Admitted 30m",
			"Queued at 10:00:00 UTC, for 90m; Admitted at 11:30:00 UTC, for 30m"},
		"executors are missing": {"Running", `"queued":"2026-01-01T10:00:00Z","admitted":"2026-01-01T10:00:00Z","driverStarted":"2026-01-01T11:00:00Z"`,
			"waits 1 begins 50 gathers 50", "Queued 0s Admitted 60m Driver 60m", "Driver at 11:00:00 UTC, for 60m"},
		"running": {"Running", `"queued":"2025-12-31T12:00:00Z","admitted":"2025-12-31T12:00:00Z","driverStarted":"2025-12-31T18:00:00Z","executorsReady":"2026-01-01T00:00:00Z"`,
			"waits 1 begins 25 gathers 25 runs 49", "", "Queued at 2025-12-31 12:00:00 UTC, for 0s"},
		"succeeded": {"Succeeded", `"queued":"2026-01-01T10:00:00Z","admitted":"2026-01-01T10:10:00Z","driverStarted":"2026-01-01T10:10:00Z","finished":"2026-01-01T10:40:00Z"`,
			"waits 25 begins 1 runs 73 ended 1", "Queued 10m Admitted 0s Driver 30m", "End at 10:40:00 UTC"},
		"failed at once": {"Failed", `"queued":"2026-01-01T10:00:00Z","admitted":"2026-01-01T10:00:00Z","finished":"2026-01-01T10:00:00Z"`,
			"waits 49 begins 49 failed 1", "Queued 0s Admitted 0s", "End at 10:00:00 UTC"},
		"stopping before its driver": {"Stopping", `"queued":"2026-01-01T10:00:00Z","admitted":"2026-01-01T10:00:00Z","stopping":"2026-01-01T11:00:00Z"`,
			"waits 1 begins 50 stops 50", "Queued 0s Admitted 60m Stopping 60m", "Stopping at 11:00:00 UTC, for 60m"},
		"times that go backwards": {"Running", `"queued":"2026-01-01T11:00:00Z","admitted":"2026-01-01T10:00:00Z"`, "waits 1 begins 99", "Queued 0s Admitted 120m", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := StagesOf(runAt(t, tt.stage, tt.times), time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
			var got, took []string
			x := 0.0
			for _, s := range p.Segments {
				got = append(got, fmt.Sprintf("%s %.0f", s.Phase, s.Width))
				if math.Abs(s.X-x) > 1e-6 || s.Width < minSegment {
					t.Errorf("segment %+v does not begin at %v, or is not seen", s, x)
				}
				x += s.Width
			}
			if len(p.Segments) > 0 && math.Abs(x-BarWidth) > 1e-6 {
				t.Errorf("the segments are %v wide", x)
			}
			for _, s := range p.Steps {
				if s.Took != "" {
					took = append(took, s.Name+" "+s.Took)
				}
			}
			if text := strings.Join(got, " "); text != tt.want {
				t.Errorf("segments %q, want %q", text, tt.want)
			}
			if text := strings.Join(took, " "); tt.took != "" && text != tt.took {
				t.Errorf("took %q, want %q", text, tt.took)
			}
			if !strings.Contains(p.Text, tt.text) {
				t.Errorf("%q lacks %q", p.Text, tt.text)
			}
		})
	}
}

// runAt returns an application with that stage and those times, as JSON.
func runAt(t *testing.T, stage, times string) *v1alpha1.SparkApplication {
	t.Helper()
	app := &v1alpha1.SparkApplication{}
	text := fmt.Sprintf(`{"status":{"conditions":[{"type":"Ready","status":"Unknown","reason":%q}],"times":{%s}}}`, stage, times)
	if err := json.Unmarshal([]byte(text), app); err != nil {
		t.Fatal(err)
	}
	return app
}
