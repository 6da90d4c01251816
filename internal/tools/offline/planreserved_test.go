// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

// TestPlanKeepsReservedQuota: what the operator keeps for the first in line, no other job is given in a plan, until the first
// one starts.
func TestPlanKeepsReservedQuota(t *testing.T) {
	t.Parallel()
	wide := func(t *testing.T, app *v1alpha1.SparkApplication) { // four cpu
		waiting(t, app)
		app.Status.Ask.PodSets[1].Count = 3
	}
	for name, tt := range map[string]struct {
		reserved bool
		files    string
		want     []string
	}{
		"it is reserved":             {true, jobManifest("new", "q", ""), []string{"new Absent→Waiting"}},
		"it is free":                 {false, jobManifest("new", "q", ""), []string{"new Absent→Admitted"}},
		"more of it, but not enough": {true, queueManifest("q", 5) + "---\n" + jobManifest("new", "q", ""), []string{"new Absent→Waiting"}},
		"enough for both":            {true, queueManifest("q", 8) + "---\n" + jobManifest("new", "q", ""), []string{"new Absent→Admitted", "wide Waiting→Admitted"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			queue := parsed[v1alpha1.SparkQueue](t, queueManifest("q", 4))
			queue.Status.Heads = []v1alpha1.QueueHead{{Position: 1, Kind: v1alpha1.SparkApplicationKind, Namespace: "etl", Name: "wide"}}
			queue.Status.Usage = []v1alpha1.QueueUsage{{Flavor: "default", Resource: "cpu"}}
			if tt.reserved {
				two := resource.MustParse("2")
				queue.Status.Usage[0].Reserved = &two
			}
			cluster := offline.Live{Queues: []v1alpha1.SparkQueue{queue}, Now: planTime, Applications: []v1alpha1.SparkApplication{
				live(t, jobManifest("old", "q", ""), running), live(t, jobManifest("wide", "q", ""), wide),
			}}
			plan, err := offline.NewPlan(cluster, []offline.File{{Name: "jobs.yaml", Text: []byte(tt.files)}}, offline.PlanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range plan.Effects {
				got = append(got, fmt.Sprintf("%s %s→%s", e.Name, e.Before, e.After))
				if e.After == offline.Waiting && !strings.Contains(e.Message, "reserved") {
					t.Errorf("%s: %s", e.Name, e.Message)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q: %+v", got, tt.want, plan.Effects)
			}
		})
	}
}
