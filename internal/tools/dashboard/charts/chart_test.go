// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package charts

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	v1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// noon is when the pictures of these tests are drawn.
var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// TestDrawn: a picture begins and ends where its time does, and its highest step stays below the edge.
func TestDrawn(t *testing.T) {
	t.Parallel()
	c := Draw("Cores", []Point{{noon, 0}, {noon.Add(30 * time.Minute), 4}, {noon.Add(45 * time.Minute), 2}}, Span{noon, noon.Add(time.Hour)}, 8)
	if want := "M0.0 100.0H300.0V53.7H450.0V76.9H600"; c.Line != want || c.Area != want+"V100H0.0Z" {
		t.Errorf("line %s, area %s", c.Line, c.Area)
	}
	if c.Text != "Cores: 2 now, 4 at most, quota 8" || math.Round(c.LimitAt) != 7 {
		t.Errorf("%q, quota at %v", c.Text, c.LimitAt)
	}
	if none := Draw("Cores", nil, Span{noon, noon}, 0); none.Line != "" {
		t.Errorf("of nothing: %+v", none)
	}
}

// usedApplication returns an application whose two attempts held four cores for an hour each.
func usedApplication(t *testing.T) *v1alpha1.SparkApplication {
	t.Helper()
	attempt := `{"run":1,"attempt":%d,"outcome":"Succeeded","finishedAt":"2026-01-01T0%d:00:00Z",
		"usage":{"queue":"team-a","since":"2026-01-01T0%d:00:00Z","granted":{"milliCPUSeconds":14400000,"memoryMiBSeconds":3686400},"requested":{"milliCPUSeconds":7200000}}}`
	app := &v1alpha1.SparkApplication{}
	if err := json.Unmarshal(fmt.Appendf(nil, `{"status":{"queue":"team-a","attempts":[`+attempt+`,`+attempt+`]}}`, 1, 2, 1, 2, 3, 2), app); err != nil {
		t.Fatal(err)
	}
	return app
}

// TestHistory: each step has the average of what attempts held in it, and the sum is what they held in the window.
func TestHistory(t *testing.T) {
	t.Parallel()
	h := NewHistory(time.Date(2026, 1, 1, 4, 2, 0, 0, time.UTC))
	h.Of(usedApplication(t), map[string]bool{"team-a": true}, noon)
	h.Of(usedApplication(t), map[string]bool{"team-b": true}, noon)
	total := 0.0
	for i, step := range h.steps {
		total += step.CPU * historyStep.Hours()
		if at := h.From.Add(time.Duration(i) * historyStep); at.Hour() == 1 && math.Abs(step.CPU-4) > 1e-9 {
			t.Errorf("%v cores at %s, want 4", step.CPU, at)
		}
	}
	if math.Abs(total-8) > 1e-9 {
		t.Errorf("%v core-hours, want 8", total)
	}
	charts := h.Charts([]v1.Usage{{Resource: "cpu", Nominal: ptr.To(resource.MustParse("16"))}})
	if len(charts) != 2 || charts[0].Text != "Cores: 0 now, 4 at most, quota 16" || charts[1].Limited {
		t.Errorf("%+v", charts)
	}
}

// TestTimeline: the last and the next runs stand where their times are, and what is suspended is never due.
func TestTimeline(t *testing.T) {
	t.Parallel()
	s := &v1alpha1.ScheduledSparkApplication{Spec: v1alpha1.ScheduledSparkApplicationSpec{Schedule: "0 0 * * *", TimeZone: "UTC"}}
	s.Status.LastRunTime = "2026-01-01T00:00:00Z"
	s.Status.LastFailedRun = &v1alpha1.ScheduledRun{Time: "2025-12-01T00:00:00Z"}
	got := TimelineOf(s, noon)
	if want := (Timeline{[]mark{{25, "due"}, {75, "next"}}, "times due in the next 24 hours: 1"}); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	s.Spec.Schedule = "* * * * *"
	if n := len(TimelineOf(s, noon).Marks); n != timelineMarks+1 {
		t.Errorf("%d marks of a schedule that is due each minute", n)
	}
	s.Spec.Suspend = true
	if n := len(TimelineOf(s, noon).Marks); n != 1 {
		t.Errorf("%d marks of one that is suspended", n)
	}
}
