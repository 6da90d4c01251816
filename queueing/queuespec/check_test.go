// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queuespec

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	flavor := func(name string) v1alpha1.FlavorQuota { return v1alpha1.FlavorQuota{Name: name} }
	tests := map[string]struct {
		spec  v1alpha1.SparkQueueSpec
		words []string // of the first finding; none if nothing is found
	}{
		"empty":            {v1alpha1.SparkQueueSpec{}, nil},
		"good selector":    {v1alpha1.SparkQueueSpec{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"team": "a"}}}, nil},
		"default flavor":   {v1alpha1.SparkQueueSpec{Flavors: []v1alpha1.FlavorQuota{flavor("default")}}, nil},
		"hold":             {v1alpha1.SparkQueueSpec{StopPolicy: v1alpha1.StopPolicyHold}, nil},
		"empty preemption": {v1alpha1.SparkQueueSpec{Preemption: &v1alpha1.QueuePreemption{}}, nil},
		"weight":           {v1alpha1.SparkQueueSpec{Weight: ptr.To[int32](3), MaxRunning: ptr.To[int32](0)}, nil},
		"bad label": {v1alpha1.SparkQueueSpec{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"a b": "c"}}},
			[]string{"spec.namespaceSelector", "a b", "correct the selector"}},
		"bad operator": {v1alpha1.SparkQueueSpec{NamespaceSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "team", Operator: "Like"}}}},
			[]string{"spec.namespaceSelector", "Like"}},
		"all that is honoured": {v1alpha1.SparkQueueSpec{
			Flavors: []v1alpha1.FlavorQuota{flavor("spot"), flavor("default")}, FairSharing: &v1alpha1.FairSharing{}, StopPolicy: v1alpha1.StopPolicyHoldAndDrain,
			Preemption: &v1alpha1.QueuePreemption{
				WithinQueue: v1alpha1.PreemptLowerOrNewerEqualPriority, ReclaimWithinTree: v1alpha1.PreemptLowerPriority,
				BorrowWithinTree: &v1alpha1.BorrowWithinTree{Policy: v1alpha1.PreemptLowerPriority},
			},
		}, nil},
		"limits below a parent":   {v1alpha1.SparkQueueSpec{Parent: "root", Flavors: limited("10", "5")}, nil},
		"a parent that is itself": {v1alpha1.SparkQueueSpec{Parent: "team-a"}, nil}, // the engine sees the circle
		"borrowing without parent": {v1alpha1.SparkQueueSpec{Flavors: append([]v1alpha1.FlavorQuota{flavor("spot")}, limited("10", "5")...)},
			[]string{`spec.flavors[1].quotas[0].borrowingLimit: "10"`, "no queue to borrow from", "remove it, or set spec.parent"}},
		"lending without parent": {v1alpha1.SparkQueueSpec{Flavors: limited("", "5")},
			[]string{`spec.flavors[0].quotas[0].lendingLimit: "5"`, "no queue to lend to", "remove it, or set spec.parent"}},
		"more than is counted": {v1alpha1.SparkQueueSpec{Parent: "root", Flavors: []v1alpha1.FlavorQuota{{Name: "default", Quotas: []v1alpha1.ResourceQuota{
			{Resource: "memory", Nominal: resource.MustParse("8Pi"), BorrowingLimit: ptr.To(resource.MustParse("16Pi"))},
		}}}}, []string{`spec.flavors[0].quotas[0].borrowingLimit: value "16Pi" is above 8Pi, the most that is counted: set less`}},
		"less than nothing": {v1alpha1.SparkQueueSpec{Parent: "root", Flavors: limited("-1", "5")},
			[]string{`spec.flavors[0].quotas[0].borrowingLimit: value "-1" is negative: set a quantity of zero or more`}},
		"preemption by default": {v1alpha1.SparkQueueSpec{Preemption: &v1alpha1.QueuePreemption{
			WithinQueue: v1alpha1.PreemptNever, ReclaimWithinTree: v1alpha1.PreemptAny,
			BorrowWithinTree: &v1alpha1.BorrowWithinTree{Policy: v1alpha1.PreemptNever},
		}}, nil},
		"head timeout": {v1alpha1.SparkQueueSpec{HeadTimeout: &metav1.Duration{Duration: time.Minute}}, nil},
		"the first mistake": {v1alpha1.SparkQueueSpec{Flavors: limited("10", "5"),
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"a b": "c"}}}, []string{"a b"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := Check(&tc.spec)
			if (len(found) > 0) != (len(tc.words) > 0) {
				t.Fatalf("found %v, want %q", found, tc.words)
			}
			for _, word := range tc.words {
				if text := found[0].String(); !strings.Contains(text, word) {
					t.Errorf("the message does not have %q: %s", word, text)
				}
			}
		})
	}
}

// limited returns a quota of cpu with limits; an empty text sets none.
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
