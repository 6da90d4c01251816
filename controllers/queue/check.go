// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/status"
)

// finding is a mistake in a queue's spec.
type finding struct {
	state   status.QueueState
	message string
}

// checks are what a queue's spec has to pass, in order; the first finding is published.
var checks = []func(*v1alpha1.SparkQueueSpec) *finding{
	checkSelector,
	checkLimits,
}

func check(queue *v1alpha1.SparkQueue) *finding {
	for _, c := range checks {
		if f := c(&queue.Spec); f != nil {
			return f
		}
	}
	return nil
}

func checkSelector(s *v1alpha1.SparkQueueSpec) *finding {
	if s.NamespaceSelector == nil {
		return nil
	}
	if _, err := metav1.LabelSelectorAsSelector(s.NamespaceSelector); err != nil {
		return &finding{status.QueueInvalidSpec, fmt.Sprintf("spec.namespaceSelector: %v; correct the selector", err)}
	}
	return nil
}

// checkLimits: a root has nobody to borrow from, nor to lend to.
func checkLimits(s *v1alpha1.SparkQueueSpec) *finding {
	if s.Parent != "" {
		return nil
	}
	for i, f := range s.Flavors {
		for j, q := range f.Quotas {
			field, limit, to := "borrowingLimit", q.BorrowingLimit, "borrow from"
			if limit == nil {
				field, limit, to = "lendingLimit", q.LendingLimit, "lend to"
			}
			if limit != nil {
				return &finding{status.QueueInvalidSpec, fmt.Sprintf("spec.flavors[%d].quotas[%d].%s: %q limits nothing, because a queue without spec.parent has "+
					"nobody to %s; remove it, or set spec.parent", i, j, field, limit, to)}
			}
		}
	}
	return nil
}

// short prints cpu in cores, as far as these can be counted in thousandths; everything else as Kubernetes does.
func short(name string, q resource.Quantity) string {
	milli := q.MilliValue()
	if name == string(corev1.ResourceCPU) && q.Cmp(*resource.NewMilliQuantity(milli, resource.DecimalSI)) == 0 {
		return strconv.FormatFloat(float64(milli)/1000, 'f', -1, 64)
	}
	return q.String()
}

// summary is used/nominal by resource, over all flavors.
func summary(usage []v1alpha1.QueueUsage) map[string]string {
	type sums struct{ used, nominal resource.Quantity }
	byResource := map[string]*sums{}
	for _, u := range usage {
		if u.Nominal == nil {
			continue
		}
		if byResource[u.Resource] == nil {
			byResource[u.Resource] = &sums{}
		}
		byResource[u.Resource].used.Add(u.Used)
		byResource[u.Resource].nominal.Add(*u.Nominal)
	}
	if len(byResource) == 0 {
		return nil
	}
	out := make(map[string]string, len(byResource))
	for name, s := range byResource {
		out[name] = short(name, s.used) + "/" + short(name, s.nominal)
	}
	return out
}
