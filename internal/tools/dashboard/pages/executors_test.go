// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/viewer"
)

// start is when the executors of these tests start.
var start = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// executor decodes a pod from JSON, as a watch does.
func executor(t *testing.T, id, state string) *viewer.Pod {
	t.Helper()
	p := &viewer.Pod{}
	text := fmt.Sprintf(`{"metadata":{"uid":%q,"labels":{"spark-role":"executor"}},"status":{"containerStatuses":[{"state":%s}]}}`, id, state)
	if err := json.Unmarshal([]byte(text), p); err != nil {
		t.Fatal(err)
	}
	p.Role = v1alpha1.SparkRoleExecutor
	return p
}

// TestLives: executors count from their start until they end, or are gone.
func TestLives(t *testing.T) {
	t.Parallel()
	l := lifetimes{}
	one := executor(t, "1", `{"running":{"startedAt":"2026-01-01T12:00:00Z"}}`)
	two := executor(t, "2", `{"running":{"startedAt":"2026-01-01T12:00:00Z"}}`)
	waits := executor(t, "3", `{"waiting":{}}`)
	l.see([]*viewer.Pod{one, two, waits}, start.Add(10*time.Minute))
	if c := l.chart(start.Add(10 * time.Minute)); c.Text != "Executors: 2 now, 2 at most" {
		t.Errorf("%q", c.Text)
	}
	ended := executor(t, "2", `{"terminated":{"startedAt":"2026-01-01T12:00:00Z","finishedAt":"2026-01-01T12:15:00Z"}}`)
	l.see([]*viewer.Pod{ended}, start.Add(20*time.Minute))
	if c := l.chart(start.Add(30 * time.Minute)); c.Text != "Executors: 0 now, 2 at most" || c.Line != "M0.0 7.4H300.0V53.7H400.0V100.0H600" {
		t.Errorf("%q %s", c.Text, c.Line)
	}
}
