// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// QueueConfigs converts queues to the engine's configuration, in the given order.
func QueueConfigs(items []v1alpha1.SparkQueue) []config.Queue {
	configs := make([]config.Queue, 0, len(items))
	for i := range items {
		configs = append(configs, QueueConfig(&items[i]))
	}
	return configs
}

// QueueConfig converts one queue. It does not validate (see queueing/validation): negative quantities become 0, those
// above amounts.Max become amounts.Max, and an invalid selector admits no namespace. The configuration shares memory
// with the queue, which must not be modified afterwards.
func QueueConfig(q *v1alpha1.SparkQueue) config.Queue {
	c := config.Queue{
		Name:             q.Name,
		Parent:           q.Spec.Parent,
		Weight:           1,
		MaxRunning:       q.Spec.MaxRunning,
		Strategy:         config.Strategy(q.Spec.Strategy),
		FlavorPreference: config.FlavorPreference(q.Spec.FlavorPreference),
		Stop:             config.StopPolicy(q.Spec.StopPolicy),
		Deleted:          q.DeletionTimestamp != nil,
	}
	if q.Spec.Weight != nil {
		c.Weight = *q.Spec.Weight
	}
	if q.Spec.HeadTimeout != nil {
		c.HeadTimeout = &q.Spec.HeadTimeout.Duration
	}
	c.Unlimited = q.Spec.Unlimited && q.Spec.Parent == ""
	c.FairSharing, c.Preemption = q.Spec.FairSharing != nil, preemptionOf(q.Spec.Preemption)
	if c.FairSharing {
		c.FairPreemption = config.FairPreemption(q.Spec.FairSharing.Preemption)
	}
	c.Admits, c.SelectorText = selectorOf(q.Spec.NamespaceSelector)
	c.NamesNamespaces = c.Admits != nil && !c.Admits(map[string]string{corev1.LabelMetadataName: ""})
	for _, f := range q.Spec.Flavors {
		flavor := config.FlavorQuota{Name: f.Name}
		for _, quota := range f.Quotas {
			flavor.Quotas = append(flavor.Quotas, quotaOf(quota))
		}
		c.Flavors = append(c.Flavors, flavor)
	}
	return c
}

// preemptionOf applies the defaults: what was lent is reclaimed, and nothing else is preempted.
func preemptionOf(p *v1alpha1.QueuePreemption) config.Preemption {
	out := config.Preemption{Within: config.PreemptNever, Reclaim: config.PreemptAny, Borrow: config.PreemptNever}
	if p == nil {
		return out
	}
	if p.WithinQueue != "" {
		out.Within = config.Policy(p.WithinQueue)
	}
	if p.ReclaimWithinTree != "" {
		out.Reclaim = config.Policy(p.ReclaimWithinTree)
	}
	if b := p.BorrowWithinTree; b != nil && b.Policy != "" {
		out.Borrow, out.BorrowThreshold = config.Policy(b.Policy), b.MaxPriorityThreshold
	}
	return out
}

func quotaOf(q v1alpha1.ResourceQuota) config.ResourceQuota {
	r := config.ResourceQuota{Resource: q.Resource, Nominal: amounts.Clamp(q.Resource, q.Nominal)}
	if q.BorrowingLimit != nil {
		limit := amounts.Clamp(q.Resource, *q.BorrowingLimit)
		r.Borrowing = &limit
	}
	if q.LendingLimit != nil {
		limit := amounts.Clamp(q.Resource, *q.LendingLimit)
		r.Lending = &limit
	}
	return r
}

// selectorOf returns the match function and the text of a namespace selector. A missing selector admits no namespace;
// neither does an invalid one, which the queue's condition reports.
func selectorOf(s *metav1.LabelSelector) (admits func(map[string]string) bool, text string) {
	if s == nil {
		return nil, ""
	}
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return nil, metav1.FormatLabelSelector(s)
	}
	return func(l map[string]string) bool { return selector.Matches(labels.Set(l)) }, metav1.FormatLabelSelector(s)
}

// FlavorConfigs converts flavors to the engine's configuration, in the given order. The configuration shares memory
// with the flavors, which must not be modified afterwards.
func FlavorConfigs(items []v1alpha1.SparkFlavor) []config.Flavor {
	configs := make([]config.Flavor, 0, len(items))
	for i := range items {
		configs = append(configs, FlavorConfig(&items[i]))
	}
	return configs
}

// FlavorConfig converts one flavor.
func FlavorConfig(f *v1alpha1.SparkFlavor) config.Flavor {
	return config.Flavor{
		Name: f.Name, NodeLabels: f.Spec.NodeLabels, NodeTaints: f.Spec.NodeTaints, Tolerations: f.Spec.Tolerations,
	}
}
