// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package yunikorn

import (
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/testing/golden"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
	"github.com/sparkgate/sparkgate/queueing/gatetest"
)

// anAsk returns the same ask, whatever was asked before.
func anAsk() queueing.Ask {
	ask := gatetest.NewAsk("default", "pi", "root.team-a")
	ask.Key.Name, ask.Key.UID, ask.Objects.Name = "pi", "7f3d", "pi-4c1d2-1-1"
	ask.Objects.Templates[v1alpha1.DriverPodSet].Labels[v1alpha1.SparkSelectorLabel] = "spark-0123"
	return ask
}

// TestMarks: labels and annotations are those in YuniKorn's documentation.
func TestMarks(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*queueing.Ask){
		"plain": func(*queueing.Ask) {},
		"everything": func(ask *queueing.Ask) {
			ask.PodSets[1].Count, ask.PodSets[1].MinCount = 10, 4
			ask.PodSets[1].Requests["nvidia.com/gpu"] = 1
			ask.Objects.UserAnnotations = map[string]string{policyAnnotation: "placeholderTimeoutInSeconds=60 gangSchedulingStyle=Hard"}
			spec := &ask.Objects.Templates[v1alpha1.ExecutorPodSet].Spec
			spec.NodeSelector = map[string]string{"disk": "ssd"}
			spec.Tolerations = []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists}}
			spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{"a"}}}}},
			}}}
			spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: corev1.DoNotSchedule}}
		},
		"driver-only":   func(ask *queueing.Ask) { ask.PodSets[1].Count = 0 },
		"no-queue":      func(ask *queueing.Ask) { ask.Queue = v1alpha1.DefaultQueue },
		"no-spark-name": func(ask *queueing.Ask) { ask.Objects.Templates = nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ask := anAsk()
			change(&ask)
			verdict, err := Gate{}.Sync(t.Context(), ask)
			if err != nil || verdict.State != queueing.Granted || verdict.Reason != queueing.ReasonDelegatedToScheduler {
				t.Fatalf("%+v, %v", verdict, err)
			}
			golden.CompareYAML(t, "testdata/"+name+".yaml", convert.ToAPI(*verdict.Grant))
			wellFormed(t, verdict.Grant)
		})
	}
}

// wellFormed: YuniKorn reads the task groups in this shape, refuses one without a name, members or resources, and looks
// for the group of each pod among them.
func wellFormed(t *testing.T, grant *queueing.Grant) {
	t.Helper()
	var groups []struct {
		Name        string
		MinMember   int32
		MinResource map[string]string
	}
	if err := json.Unmarshal([]byte(grant.PodSets[0].Annotations[groupsAnnotation]), &groups); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, g := range groups {
		if known[g.Name] = true; g.Name == "" || g.MinMember < 1 || len(g.MinResource) == 0 {
			t.Errorf("group %+v", g)
		}
	}
	for _, set := range grant.PodSets {
		if group := set.Annotations[groupAnnotation]; set.Count > 0 && !known[group] {
			t.Errorf("pods of %s belong to group %q, which is not described", set.Name, group)
		}
		if set.Labels[appLabel] != set.Labels[oldAppLabel] || set.Labels[queueLabel] != set.Labels[oldQueueLabel] {
			t.Errorf("labels contradict each other: %v", set.Labels)
		}
	}
}
