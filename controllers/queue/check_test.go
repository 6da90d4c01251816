// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/status"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	flavor := func(name string) v1alpha1.FlavorQuota { return v1alpha1.FlavorQuota{Name: name} }
	tests := map[string]struct {
		spec  v1alpha1.SparkQueueSpec
		state status.QueueState // empty: nothing is found
		words []string
	}{
		"empty":            {v1alpha1.SparkQueueSpec{}, "", nil},
		"good selector":    {v1alpha1.SparkQueueSpec{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"team": "a"}}}, "", nil},
		"default flavor":   {v1alpha1.SparkQueueSpec{Flavors: []v1alpha1.FlavorQuota{flavor("default")}}, "", nil},
		"hold":             {v1alpha1.SparkQueueSpec{StopPolicy: v1alpha1.StopPolicyHold}, "", nil},
		"empty preemption": {v1alpha1.SparkQueueSpec{Preemption: &v1alpha1.QueuePreemption{}}, "", nil},
		"weight":           {v1alpha1.SparkQueueSpec{Weight: ptr.To[int32](3), MaxRunning: ptr.To[int32](0)}, "", nil},
		"bad label": {v1alpha1.SparkQueueSpec{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"a b": "c"}}},
			status.QueueInvalidSpec, []string{"spec.namespaceSelector", "a b", "correct the selector"}},
		"bad operator": {v1alpha1.SparkQueueSpec{NamespaceSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "team", Operator: "Like"}}}},
			status.QueueInvalidSpec, []string{"spec.namespaceSelector", "Like"}},
		"all that is honoured": {v1alpha1.SparkQueueSpec{
			Flavors: []v1alpha1.FlavorQuota{flavor("spot"), flavor("default")}, FairSharing: &v1alpha1.FairSharing{}, StopPolicy: v1alpha1.StopPolicyHoldAndDrain,
			Preemption: &v1alpha1.QueuePreemption{
				WithinQueue: v1alpha1.PreemptLowerOrNewerEqualPriority, ReclaimWithinTree: v1alpha1.PreemptLowerPriority,
				BorrowWithinTree: &v1alpha1.BorrowWithinTree{Policy: v1alpha1.PreemptLowerPriority},
			},
		}, "", nil},
		"limits below a parent":   {v1alpha1.SparkQueueSpec{Parent: "root", Flavors: limited("10", "5")}, "", nil},
		"a parent that is itself": {v1alpha1.SparkQueueSpec{Parent: "team-a"}, "", nil}, // the engine sees the circle
		"borrowing without parent": {v1alpha1.SparkQueueSpec{Flavors: append([]v1alpha1.FlavorQuota{flavor("spot")}, limited("10", "5")...)},
			status.QueueInvalidSpec, []string{`spec.flavors[1].quotas[0].borrowingLimit: "10"`, "no queue to borrow from", "remove it, or set spec.parent"}},
		"lending without parent": {v1alpha1.SparkQueueSpec{Flavors: limited("", "5")},
			status.QueueInvalidSpec, []string{`spec.flavors[0].quotas[0].lendingLimit: "5"`, "no queue to lend to", "remove it, or set spec.parent"}},
		"more than is counted": {v1alpha1.SparkQueueSpec{Parent: "root", Flavors: []v1alpha1.FlavorQuota{{Name: "default", Quotas: []v1alpha1.ResourceQuota{
			{Resource: "memory", Nominal: resource.MustParse("8Pi"), BorrowingLimit: ptr.To(resource.MustParse("16Pi"))},
		}}}}, status.QueueInvalidSpec, []string{`spec.flavors[0].quotas[0].borrowingLimit: value "16Pi" is above 8Pi, the most that is counted: set less`}},
		"less than nothing": {v1alpha1.SparkQueueSpec{Parent: "root", Flavors: limited("-1", "5")},
			status.QueueInvalidSpec, []string{`spec.flavors[0].quotas[0].borrowingLimit: value "-1" is negative: set a quantity of zero or more`}},
		"preemption by default": {v1alpha1.SparkQueueSpec{Preemption: &v1alpha1.QueuePreemption{
			WithinQueue: v1alpha1.PreemptNever, ReclaimWithinTree: v1alpha1.PreemptAny,
			BorrowWithinTree: &v1alpha1.BorrowWithinTree{Policy: v1alpha1.PreemptNever},
		}}, "", nil},
		"head timeout": {v1alpha1.SparkQueueSpec{HeadTimeout: &metav1.Duration{Duration: time.Minute}}, "", nil},
		"the first mistake": {v1alpha1.SparkQueueSpec{Flavors: limited("10", "5"),
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"a b": "c"}}}, status.QueueInvalidSpec, []string{"a b"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := check(&v1alpha1.SparkQueue{Spec: tc.spec})
			switch {
			case found == nil && tc.state != "":
				t.Fatalf("nothing was found, want %s", tc.state)
			case found != nil && found.state != tc.state:
				t.Fatalf("found %s: %s, want %q", found.state, found.message, tc.state)
			}
			for _, word := range tc.words {
				if !strings.Contains(found.message, word) {
					t.Errorf("the message does not have %q: %s", word, found.message)
				}
			}
		})
	}
}

// limited is a quota of cpu with limits; an empty one is none.
func limited(borrowing, lending string) []v1alpha1.FlavorQuota {
	limit := func(text string) *resource.Quantity {
		if text == "" {
			return nil
		}
		return ptr.To(resource.MustParse(text))
	}
	return []v1alpha1.FlavorQuota{{Name: "default", Quotas: []v1alpha1.ResourceQuota{
		{Resource: "cpu", Nominal: resource.MustParse("20"), BorrowingLimit: limit(borrowing), LendingLimit: limit(lending)},
	}}}
}

// TestActiveMessage: a look at the queues shows which of them admit nothing, and why.
func TestActiveMessage(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		state State
		want  string
	}{
		"none at a time": {State{Inner: true}, "admits no applications: spec.maxRunning is 0"},
		"no namespace":   {State{}, "admits no applications: it has no spec.namespaceSelector; {} admits every namespace"},
		"a leaf":         {State{}, ""},
		"inner":          {State{Inner: true}, "shares its quota among the queues below it, and admits no applications itself"},
		"held":           {State{StoppedBy: "a"}, "held: spec.stopPolicy is Hold, so nothing is admitted; what runs continues"},
		"inner, held":    {State{Inner: true, StoppedBy: "a"}, "held: spec.stopPolicy is Hold, so nothing is admitted; what runs continues"},
		"held above":     {State{StoppedBy: "root"}, "held: spec.stopPolicy of queue root above it is Hold, so nothing is admitted; what runs continues"},
		"drained":        {State{StoppedBy: "a", Drained: true}, "drained: spec.stopPolicy is HoldAndDrain, so nothing is admitted and what runs is stopped"},
		"drained above":  {State{StoppedBy: "root", Drained: true}, "drained: spec.stopPolicy of queue root above it is HoldAndDrain, so nothing is admitted and what runs is stopped"},
	} {
		queue := &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
		if name != "no namespace" {
			queue.Spec.NamespaceSelector = &metav1.LabelSelector{}
		}
		if name == "none at a time" {
			queue.Spec.MaxRunning = ptr.To[int32](0)
		}
		if got := activeMessage(queue, tt.state); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	usage := func(flavor, name, used, nominal string) v1alpha1.QueueUsage {
		u := v1alpha1.QueueUsage{Flavor: flavor, Resource: name, Used: resource.MustParse(used)}
		if nominal != "" {
			n := resource.MustParse(nominal)
			u.Nominal = &n
		}
		return u
	}
	tests := map[string]struct {
		usage []v1alpha1.QueueUsage
		want  map[string]string
	}{
		"nothing":       {nil, nil},
		"no limit":      {[]v1alpha1.QueueUsage{usage("default", "cpu", "600m", "")}, nil},
		"part of cores": {[]v1alpha1.QueueUsage{usage("default", "cpu", "600m", "1")}, map[string]string{"cpu": "0.6/1"}},
		"whole cores":   {[]v1alpha1.QueueUsage{usage("default", "cpu", "2", "2500m")}, map[string]string{"cpu": "2/2.5"}},
		"more than can be counted": {[]v1alpha1.QueueUsage{
			usage("spot", "cpu", "1", "9223372036854775806m"), usage("default", "cpu", "1", "9223372036854775806m"), usage("default", "memory", "1", "999999999999999999Ei"),
		}, map[string]string{"cpu": "2/18446744073709551612m", "memory": "1/9223372036854775807"}},
		"all flavors together": {[]v1alpha1.QueueUsage{
			usage("spot", "cpu", "500m", "1"), usage("default", "cpu", "1", "2"), usage("default", "memory", "896Mi", "3Gi"), usage("default", "pods", "3", ""),
		}, map[string]string{"cpu": "1.5/3", "memory": "896Mi/3Gi"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, summary(tc.usage)); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
		})
	}
}
