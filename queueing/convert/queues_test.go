// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

func queueFrom(t *testing.T, text string) v1alpha1.SparkQueue {
	t.Helper()
	var q v1alpha1.SparkQueue
	if err := yaml.UnmarshalStrict([]byte(text), &q); err != nil {
		t.Fatal(err)
	}
	return q
}

func TestQueueConfig(t *testing.T) {
	t.Parallel()
	queue := queueFrom(t, `
metadata: {name: team-a}
spec:
  parent: root
  weight: 3
  maxRunning: 7
  strategy: StrictFIFO
  stopPolicy: Hold
  fairSharing: {preemption: LessThanInitialShare}
  flavorPreference: LeastBorrowing
  headTimeout: 90s
  preemption: {withinQueue: LowerPriority, reclaimWithinTree: Never, borrowWithinTree: {policy: LowerPriority, maxPriorityThreshold: 7}}
  flavors:
  - name: default
    quotas:
    - {resource: cpu, nominal: 1500m, borrowingLimit: "0"}
    - {resource: memory, nominal: 3Gi, lendingLimit: 1Gi}
  - name: spot
    quotas:
    - {resource: cpu, nominal: "-2"}`)
	running, none, one, timeout := int32(7), int64(0), int64(1<<30), 90*time.Second
	want := config.Queue{
		Name: "team-a", Parent: "root", Weight: 3, MaxRunning: &running, Strategy: config.StrictFIFO, Stop: config.StopHold,
		FairSharing: true, FairPreemption: config.PreemptLessThanInitialShare, FlavorPreference: config.LeastBorrowing, HeadTimeout: &timeout,
		Preemption: config.Preemption{
			Within: config.PreemptLowerPriority, Reclaim: config.PreemptNever, Borrow: config.PreemptLowerPriority, BorrowThreshold: &running,
		},
		Flavors: []config.FlavorQuota{
			{Name: "default", Quotas: []config.ResourceQuota{
				{Resource: "cpu", Nominal: 1500, Borrowing: &none},
				{Resource: "memory", Nominal: 3 << 30, Lending: &one},
			}},
			{Name: "spot", Quotas: []config.ResourceQuota{{Resource: "cpu"}}},
		},
	}
	if diff := cmp.Diff(want, QueueConfig(&queue), cmpopts.IgnoreFields(config.Queue{}, "Admits")); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}
}

func TestDefaultsOfQueues(t *testing.T) {
	t.Parallel()
	gone := queueFrom(t, "metadata: {name: b}")
	gone.DeletionTimestamp = &metav1.Time{Time: time.Unix(0, 0)}
	got := QueueConfigs([]v1alpha1.SparkQueue{queueFrom(t, "metadata: {name: a}"), gone})
	takesBack := config.Preemption{Within: config.PreemptNever, Reclaim: config.PreemptAny, Borrow: config.PreemptNever}
	want := []config.Queue{{Name: "a", Weight: 1, Preemption: takesBack}, {Name: "b", Weight: 1, Preemption: takesBack, Deleted: true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("configurations (-want +got):\n%s", diff)
	}
}

func TestNamespaceSelector(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		selector string // of the queue's spec
		labels   map[string]string
		admits   bool
		nobody   bool // there is no match at all
		text     string
		names    bool
	}{
		"absent":             {selector: "", nobody: true},
		"every namespace":    {selector: "namespaceSelector: {}", admits: true, text: "<none>"},
		"the label":          {selector: "namespaceSelector: {matchLabels: {team: a}}", labels: map[string]string{"team": "a"}, admits: true, text: "team=a", names: true},
		"another label":      {selector: "namespaceSelector: {matchLabels: {team: a}}", labels: map[string]string{"team": "b"}, text: "team=a", names: true},
		"cannot be read":     {selector: "namespaceSelector: {matchExpressions: [{key: team, operator: Like}]}", nobody: true, text: "<error>"},
		"an expression":      {selector: "namespaceSelector: {matchExpressions: [{key: team, operator: Exists}]}", labels: map[string]string{"team": "b"}, admits: true, text: "team", names: true},
		"an expression, not": {selector: "namespaceSelector: {matchExpressions: [{key: team, operator: Exists}]}", text: "team", names: true},
		"by name":            {selector: "namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: etl}}", text: "kubernetes.io/metadata.name=etl", names: true},
		"all that have one":  {selector: "namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: Exists}]}", text: "kubernetes.io/metadata.name"},
		"for what it lacks":  {selector: "namespaceSelector: {matchExpressions: [{key: team, operator: DoesNotExist}]}", admits: true, text: "!team"},
		"all but some":       {selector: "namespaceSelector: {matchExpressions: [{key: team, operator: NotIn, values: [b]}]}", admits: true, text: "team notin (b)"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			queue := queueFrom(t, "metadata: {name: a}\nspec: {"+tc.selector+"}")
			c := QueueConfig(&queue)
			if c.SelectorText != tc.text {
				t.Errorf("text: got %q, want %q", c.SelectorText, tc.text)
			}
			if c.NamesNamespaces != tc.names {
				t.Errorf("names namespaces: got %v, want %v", c.NamesNamespaces, tc.names)
			}
			if (c.Admits == nil) != tc.nobody {
				t.Fatalf("admits nobody at all: got %v, want %v", c.Admits == nil, tc.nobody)
			}
			if c.Admits != nil && c.Admits(tc.labels) != tc.admits {
				t.Errorf("admits %v: got %v, want %v", tc.labels, !tc.admits, tc.admits)
			}
		})
	}
}

func TestFlavorConfigs(t *testing.T) {
	t.Parallel()
	var flavor v1alpha1.SparkFlavor
	if err := yaml.UnmarshalStrict([]byte(`
metadata: {name: spot}
spec:
  nodeLabels: {lifecycle: spot}
  nodeTaints: [{key: spot, value: "true", effect: NoSchedule}]
  tolerations: [{key: spot, operator: Exists}]`), &flavor); err != nil {
		t.Fatal(err)
	}
	want := []config.Flavor{{
		Name:        "spot",
		NodeLabels:  map[string]string{"lifecycle": "spot"},
		NodeTaints:  []corev1.Taint{{Key: "spot", Value: "true", Effect: corev1.TaintEffectNoSchedule}},
		Tolerations: []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists}},
	}}
	if diff := cmp.Diff(want, FlavorConfigs([]v1alpha1.SparkFlavor{flavor})); diff != "" {
		t.Errorf("configurations (-want +got):\n%s", diff)
	}
}

func TestDefaultsOfPreemption(t *testing.T) {
	t.Parallel()
	queue := queueFrom(t, "metadata: {name: a}\nspec: {preemption: {borrowWithinTree: {maxPriorityThreshold: 7}}}")
	want := config.Preemption{Within: config.PreemptNever, Reclaim: config.PreemptAny, Borrow: config.PreemptNever}
	if diff := cmp.Diff(want, QueueConfig(&queue).Preemption); diff != "" {
		t.Errorf("preemption (-want +got):\n%s", diff)
	}
}
