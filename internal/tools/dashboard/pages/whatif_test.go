// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

// TestEffectsLeadSomewhere: only applications have a page; what else is affected says what it is.
func TestEffectsLeadSomewhere(t *testing.T) {
	t.Parallel()
	p := whatIfPage{Base: "/s", Name: "team-a", Queues: []string{"team-a"}, Planned: true}
	p.show([]offline.Effect{
		{Kind: v1alpha1.SparkApplicationKind, Namespace: "etl", Name: "daily", After: offline.Admitted},
		{Kind: v1alpha1.ScheduledSparkApplicationKind, Namespace: "etl", Name: "nightly", After: offline.Fits},
		{Kind: "Pod", Namespace: "notebooks", Name: "raw-driver", After: offline.Preempted},
	})
	text, err := fragment("whatif", p)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`href="/s/applications/etl/daily"`, "nightly (schedule)", "raw-driver (pod)"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "applications/notebooks") {
		t.Errorf("a pod leads to an application:\n%s", text)
	}
}
