// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

// elastic returns a running job that holds that many executors above its base gang.
func elastic(executors int32) state {
	return func(t *testing.T, app *v1alpha1.SparkApplication) {
		running(t, app)
		app.Status.Grant.Gated = true
		app.Status.Grant.PodSets = append(app.Status.Grant.PodSets, v1alpha1.PodSetGrant{Name: "executor", Flavor: "default", Count: executors, Elastic: true, Requests: requests()})
		for i := range app.Status.Grant.PodSets {
			app.Status.Grant.PodSets[i].Flavor = "default"
		}
	}
}

// TestPlanReclaimsExecutors: executors above a base gang that a job preempts have stopped, as whole applications have, and
// the plan names the application that loses them.
func TestPlanReclaimsExecutors(t *testing.T) {
	t.Parallel()
	const urgent = ", priorityClassName: urgent"
	for name, tt := range map[string]struct {
		executors int32
		files     string
		want      []string
	}{
		"some of them": {4, jobManifest("new", "q", urgent), []string{
			"new Created Absent→Admitted : ",
			"old  Admitted→Admitted ExecutorsReclaimed: 2 executors above the base gang release their quota: preempted by SparkApplication etl/new: its priority 1000 is higher than 0",
		}},
		"for two jobs": {4, jobManifest("new", "q", urgent) + "---\n" + jobManifest("newer", "q", urgent), []string{
			"new Created Absent→Admitted : ",
			"newer Created Absent→Admitted : ",
			"old  Admitted→Admitted ExecutorsReclaimed: 4 executors above the base gang release their quota: preempted by SparkApplication etl/new: its priority 1000 is higher than 0",
		}},
		"and then the base gang": {2, jobManifest("new", "q", urgent) + "---\n" + jobManifest("newer", "q", urgent) + "---\n" + jobManifest("newest", "q", urgent), []string{
			"new Created Absent→Admitted : ",
			"newer Created Absent→Admitted : ",
			"newest Created Absent→Admitted : ",
			"old  Admitted→Preempted Preempted: preempted by SparkApplication etl/newest: its priority 1000 is higher than 0",
		}},
		"none": {4, jobManifest("new", "q", ""), []string{"new Created Absent→Waiting WaitingForQuota: needs cpu 2 of flavor default; queue q may use at most 6 (nominal 6, borrowing 0) and others hold the rest"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster := offline.Live{
				Queues: []v1alpha1.SparkQueue{parsed[v1alpha1.SparkQueue](t, queueManifest("q", 6))}, Priorities: map[string]int32{"urgent": 1000}, Now: planTime,
				Applications: []v1alpha1.SparkApplication{live(t, jobManifest("old", "q", ""), elastic(tt.executors))},
			}
			plan, err := offline.NewPlan(cluster, []offline.File{{Name: "jobs.yaml", Text: []byte(tt.files)}}, offline.PlanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range plan.Effects {
				got = append(got, fmt.Sprintf("%s %s %s→%s %s: %s", e.Name, e.Change, e.Before, e.After, e.Reason, e.Message))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
