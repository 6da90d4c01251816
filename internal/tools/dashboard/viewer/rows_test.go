// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package viewer

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/job/usage"
)

// rowIn decodes an application from JSON, as a watch does.
func rowIn(t *testing.T, name, stage string, more string) *Application {
	t.Helper()
	a := &Application{}
	text := fmt.Sprintf(`{"metadata":{"namespace":"etl","name":%q,"uid":%q,"creationTimestamp":"2026-01-01T00:00:00Z","labels":{"team":"a"}},
		"spec":{"queue":{"name":"team-a"}},"status":{"conditions":[{"type":"Ready","status":"False","reason":%q,"message":"said <b>"}]%s}}`, name, name, stage, more)
	if err := json.Unmarshal([]byte(text), a); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestRowIsASummary: what is kept of an application gives the summary of all of it.
func TestRowIsASummary(t *testing.T) {
	t.Parallel()
	a := rowIn(t, "pi", "Running", `,"run":2,"attempt":3,"queue":"team-b","executors":{"wanted":2,"ready":1,"summary":"1/2"},"runDuration":"90s",
		"attempts":[{"run":2,"attempt":2,"outcome":"Failed","message":"long"}],"times":{"driverStarted":"2026-01-01T00:10:00Z"},
		"grant":{"run":2,"attempt":3,"gate":"Embedded","queue":"team-b","podSets":[{"name":"driver","count":1,"flavor":"default","requests":{"cpu":"1"}}]}`)
	now := time.Date(2026, 1, 1, 0, 20, 0, 0, time.UTC)
	want := status.Summary{
		Namespace: "etl", Name: "pi", Queue: "team-b", Stage: "Running", Executors: "1/2", Run: 2, Attempt: 3, Age: 20 * time.Minute,
		RunDuration: 10*time.Minute + 90*time.Second, Message: "said <b>",
	}
	if got := a.Summary(now); got != want {
		t.Errorf("(-want +got)\n- %+v\n+ %+v", want, got)
	}
	if !slices.Equal(a.GrantPath, []string{"team-b"}) || !slices.Equal(a.Holds, []string{"1 driver with cpu 1 in flavor default"}) || a.App.Status.Attempts[0].Message != "" {
		t.Errorf("%q %q %+v", a.GrantPath, a.Holds, a.App.Status.Attempts)
	}
}

// TestMeteredQueue: what is kept of a status says which gate has granted, so that no SparkQueue is charged for another system's queue of its name.
func TestMeteredQueue(t *testing.T) {
	t.Parallel()
	full := v1alpha1.SparkApplicationStatus{Queue: "team-a", Grant: &v1alpha1.Grant{Gate: v1alpha1.GateYuniKorn, Queue: "team-a"}}
	if kept := metered(&full); usage.QueueOf(&kept) != usage.QueueOf(&full) {
		t.Errorf("charged to %q, want %q", usage.QueueOf(&kept), usage.QueueOf(&full))
	}
}
