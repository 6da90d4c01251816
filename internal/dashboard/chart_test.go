// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

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
	c := drawn("Cores", []point{{noon, 0}, {noon.Add(30 * time.Minute), 4}, {noon.Add(45 * time.Minute), 2}}, span{noon, noon.Add(time.Hour)}, 8)
	if want := "M0.0 100.0H300.0V53.7H450.0V76.9H600"; c.Line != want || c.Area != want+"V100H0.0Z" {
		t.Errorf("line %s, area %s", c.Line, c.Area)
	}
	if c.Text != "Cores: 2 now, 4 at most, quota 8" || math.Round(c.LimitAt) != 7 {
		t.Errorf("%q, quota at %v", c.Text, c.LimitAt)
	}
	if none := drawn("Cores", nil, span{noon, noon}, 0); none.Line != "" {
		t.Errorf("of nothing: %+v", none)
	}
}

// TestHistory: each step has the average of what attempts held in it, and the sum is what they held in the window.
func TestHistory(t *testing.T) {
	t.Parallel()
	h := newHistory(time.Date(2026, 1, 1, 4, 2, 0, 0, time.UTC))
	h.of(used(t, "pi"), map[string]bool{"team-a": true}, noon)
	h.of(used(t, "other"), map[string]bool{"team-b": true}, noon)
	total := 0.0
	for i, step := range h.steps {
		total += step.CPU * historyStep.Hours()
		if at := h.from.Add(time.Duration(i) * historyStep); at.Hour() == 1 && math.Abs(step.CPU-4) > 1e-9 {
			t.Errorf("%v cores at %s, want 4", step.CPU, at)
		}
	}
	if math.Abs(total-8) > 1e-9 {
		t.Errorf("%v core-hours, want 8", total)
	}
	charts := h.charts([]v1.Usage{{Resource: "cpu", Nominal: ptr.To(resource.MustParse("16"))}})
	if len(charts) != 2 || charts[0].Text != "Cores: 0 now, 4 at most, quota 16" || charts[1].Limited {
		t.Errorf("%+v", charts)
	}
}

// executor decodes a pod from JSON, as a watch does.
func executor(t *testing.T, id, state string) *pod {
	t.Helper()
	p := &pod{}
	text := fmt.Sprintf(`{"metadata":{"uid":%q,"labels":{"spark-role":"executor"}},"status":{"containerStatuses":[{"state":%s}]}}`, id, state)
	if err := json.Unmarshal([]byte(text), p); err != nil {
		t.Fatal(err)
	}
	p.role = v1alpha1.SparkRoleExecutor
	return p
}

// TestLives: executors count from their start until they end, or are gone.
func TestLives(t *testing.T) {
	t.Parallel()
	l := lifetimes{}
	one := executor(t, "1", `{"running":{"startedAt":"2026-01-01T12:00:00Z"}}`)
	two := executor(t, "2", `{"running":{"startedAt":"2026-01-01T12:00:00Z"}}`)
	waits := executor(t, "3", `{"waiting":{}}`)
	l.see([]*pod{one, two, waits}, noon.Add(10*time.Minute))
	if c := l.chart(noon.Add(10 * time.Minute)); c.Text != "Executors: 2 now, 2 at most" {
		t.Errorf("%q", c.Text)
	}
	ended := executor(t, "2", `{"terminated":{"startedAt":"2026-01-01T12:00:00Z","finishedAt":"2026-01-01T12:15:00Z"}}`)
	l.see([]*pod{ended}, noon.Add(20*time.Minute))
	if c := l.chart(noon.Add(30 * time.Minute)); c.Text != "Executors: 0 now, 2 at most" || c.Line != "M0.0 7.4H300.0V53.7H400.0V100.0H600" {
		t.Errorf("%q %s", c.Text, c.Line)
	}
}

// TestTimeline: the last and the next runs stand where their times are, and what is suspended is never due.
func TestTimeline(t *testing.T) {
	t.Parallel()
	s := &v1alpha1.ScheduledSparkApplication{Spec: v1alpha1.ScheduledSparkApplicationSpec{Schedule: "0 0 * * *", TimeZone: "UTC"}}
	s.Status.LastRunTime = "2026-01-01T00:00:00Z"
	s.Status.LastFailedRun = &v1alpha1.ScheduledRun{Time: "2025-12-01T00:00:00Z"}
	got := timelineOf(s, noon)
	if want := (timeline{[]mark{{25, "due"}, {75, "next"}}, "times due in the next 24 hours: 1"}); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	s.Spec.Schedule = "* * * * *"
	if n := len(timelineOf(s, noon).Marks); n != timelineMarks+1 {
		t.Errorf("%d marks of a schedule that is due each minute", n)
	}
	s.Spec.Suspend = true
	if n := len(timelineOf(s, noon).Marks); n != 1 {
		t.Errorf("%d marks of one that is suspended", n)
	}
}
