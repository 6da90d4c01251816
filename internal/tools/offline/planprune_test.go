// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

// ofJobs are the labels of what the files have brought before.
var ofJobs = map[string]string{"from": "jobs"}

// TestPlanPrunes: what the files no longer name is deleted, if it came from them, and others get its quota.
func TestPlanPrunes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		// change of the cluster, in which the files have brought jobs a and b, which run, and c, which waits, and a
		// schedule of which b is a run.
		change func(*offline.Live)
		files  []string
		want   []string
		queues []string
	}{
		"a job": {nil, []string{"b", "c", "nightly"}, []string{"a Deleted Admitted→Absent ", "c  Waiting→Admitted "}, nil},
		"a schedule takes its runs along": {nil, []string{"a", "c"},
			[]string{"b Deleted Admitted→Absent belongs to schedule nightly", "nightly Deleted Absent→Absent ", "c  Waiting→Admitted "}, nil},
		"one that waits":           {nil, []string{"a", "b", "nightly"}, []string{"c Deleted Waiting→Absent "}, nil},
		"nothing":                  {nil, []string{"a", "b", "c", "nightly"}, nil, nil},
		"what came from elsewhere": {func(l *offline.Live) { l.Applications[0].Labels = nil }, []string{"b", "c", "nightly"}, nil, nil},
		"Flux keeps it":            {annotated("kustomize.toolkit.fluxcd.io/prune", "disabled"), []string{"b", "c", "nightly"}, nil, nil},
		"Argo CD keeps it":         {annotated("argocd.argoproj.io/sync-options", "Replace=true,Prune=false"), []string{"b", "c", "nightly"}, nil, nil},
		"Argo CD only replaces it": {annotated("argocd.argoproj.io/sync-options", "Replace=true"), []string{"b", "c", "nightly"}, []string{"a Deleted Admitted→Absent ", "c  Waiting→Admitted "}, nil},
		"a queue":                  {func(l *offline.Live) { l.Queues[0].Labels = ofJobs }, []string{"a", "b", "c", "nightly"}, []string{"c  Waiting→Refused "}, []string{"q"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster := prunable(t)
			if tt.change != nil {
				tt.change(&cluster)
			}
			var files []string
			for _, name := range tt.files {
				if name == "nightly" {
					files = append(files, scheduleManifest(1))
				} else {
					files = append(files, jobManifest(name, "q", ""))
				}
			}
			plan, err := offline.NewPlan(cluster, []offline.File{{Name: "jobs.yaml", Text: []byte(strings.Join(files, "---\n"))}},
				offline.PlanOptions{Prune: labels.SelectorFromSet(ofJobs)})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range plan.Effects {
				if e.Change == offline.Updated || e.Name == "c" && e.After == offline.Waiting {
					continue // said in other tests
				}
				message := e.Message
				if e.Change != offline.Deleted {
					message = ""
				}
				got = append(got, fmt.Sprintf("%s %s %s→%s %s", e.Name, e.Change, e.Before, e.After, message))
			}
			if !slices.Equal(got, tt.want) || !slices.Equal(plan.DeletedQueues, tt.queues) {
				t.Errorf("got  %q, queues %q\nwant %q, %q", got, plan.DeletedQueues, tt.want, tt.queues)
			}
		})
	}
}

func annotated(name, value string) func(*offline.Live) {
	return func(l *offline.Live) { l.Applications[0].Annotations = map[string]string{name: value} }
}

// prunable returns a cluster in which everything but the queue has come from the files.
func prunable(t *testing.T) offline.Live {
	t.Helper()
	schedule := parsed[v1alpha1.ScheduledSparkApplication](t, scheduleManifest(1))
	schedule.UID, schedule.Labels = "nightly", ofJobs
	cluster := offline.Live{
		Queues: []v1alpha1.SparkQueue{parsed[v1alpha1.SparkQueue](t, queueManifest("q", 4))}, Now: planTime,
		Schedules: []v1alpha1.ScheduledSparkApplication{schedule},
	}
	for _, job := range []struct {
		name string
		in   state
	}{{"a", running}, {"b", running}, {"c", waiting}} {
		app := live(t, jobManifest(job.name, "q", ""), job.in)
		if app.Labels = ofJobs; job.name == "b" {
			app.Labels = nil
			app.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(&schedule, v1alpha1.GroupVersion.WithKind(v1alpha1.ScheduledSparkApplicationKind))}
		}
		cluster.Applications = append(cluster.Applications, app)
	}
	return cluster
}
