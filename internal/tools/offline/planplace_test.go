// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

// TestPlanKeepsPlaces: a job that waits keeps its place if it asks the same queue for no more; else it goes behind those that
// wait. One of two is admitted, where the first is changed.
func TestPlanKeepsPlaces(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		queue  string // of the first, as changed
		change func(manifest string) string
		want   string
	}{
		"another priority":    {", priorityClassName: urgent", nil, "first"},
		"fewer executors":     {", minExecutors: 1", nil, "first"},
		"more executors":      {", priorityClassName: urgent, minExecutors: 1", func(m string) string { return strings.Replace(m, "instances: 2", "instances: 3", 1) }, "second"},
		"a choice of flavors": {", priorityClassName: urgent, flavors: {driver: [default]}", nil, "second"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster := offline.Live{
				Queues: []v1alpha1.SparkQueue{parsed[v1alpha1.SparkQueue](t, queueManifest("q", 2))}, Priorities: map[string]int32{"urgent": 1000}, Now: planTime,
			}
			for age, job := range []string{"second", "first"} {
				class := ""
				if strings.Contains(tt.queue, "urgent") && job == "second" {
					class = ", priorityClassName: urgent"
				}
				app := live(t, strings.Replace(jobManifest(job, "q", class), "instances: 1", "instances: 2", 1), waiting)
				queued := metav1.NewTime(planTime.Add(-time.Duration(age+1) * time.Minute))
				app.Status.Times.Queued = &queued
				for i := range app.Status.Ask.PodSets {
					app.Status.Ask.PodSets[i].Count = int32(i + 1)
					app.Status.Ask.PodSets[i].Requests = map[corev1.ResourceName]resource.Quantity{
						"cpu": resource.MustParse("1"), "memory": resource.MustParse("2Gi"), "pods": resource.MustParse("1"),
					}
				}
				cluster.Applications = append(cluster.Applications, app)
			}
			first := strings.Replace(jobManifest("first", "q", tt.queue), "instances: 1", "instances: 2", 1)
			if tt.change != nil {
				first = tt.change(first)
			}
			files := queueManifest("q", 4) + "---\n" + first
			plan, err := offline.NewPlan(cluster, []offline.File{{Name: "jobs.yaml", Text: []byte(files)}}, offline.PlanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var admitted []string
			for _, e := range plan.Effects {
				if e.After == offline.Admitted {
					admitted = append(admitted, e.Name)
				}
			}
			if !slices.Equal(admitted, []string{tt.want}) {
				t.Errorf("admitted %q, want %s: %+v", admitted, tt.want, plan.Effects)
			}
		})
	}
}
