// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queuespec

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/finding"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// Finding is a mistake in a queue's spec.
type Finding = finding.Finding

// checks are run in this order.
var checks = []func(*v1alpha1.SparkQueueSpec) []Finding{
	checkSelector,
	checkAmounts,
	checkLimits,
}

// Check returns the mistakes in a queue's spec. The first finding is the one to publish.
func Check(spec *v1alpha1.SparkQueueSpec) []Finding {
	var findings []Finding
	for _, check := range checks {
		findings = append(findings, check(spec)...)
	}
	return findings
}

func checkSelector(s *v1alpha1.SparkQueueSpec) []Finding {
	if s.NamespaceSelector == nil {
		return nil
	}
	if _, err := metav1.LabelSelectorAsSelector(s.NamespaceSelector); err != nil {
		return []Finding{{Field: "spec.namespaceSelector", Message: fmt.Sprintf("%v; correct the selector", err)}}
	}
	return nil
}

// checkAmounts finds invalid amounts. The queue uses the nearest valid amount instead.
func checkAmounts(s *v1alpha1.SparkQueueSpec) []Finding {
	var findings []Finding
	for i, f := range s.Flavors {
		for j, q := range f.Quotas {
			for _, limit := range []struct {
				field string
				value *resource.Quantity
			}{{"nominal", &q.Nominal}, {"borrowingLimit", q.BorrowingLimit}, {"lendingLimit", q.LendingLimit}} {
				if limit.value == nil {
					continue
				}
				if _, err := amounts.Of(q.Resource, *limit.value); err != nil {
					findings = append(findings, Finding{Field: fmt.Sprintf("spec.flavors[%d].quotas[%d].%s", i, j, limit.field), Message: err.Error()})
				}
			}
		}
	}
	return findings
}

// checkLimits finds borrowing and lending limits of roots, which have no queue to borrow from or lend to.
func checkLimits(s *v1alpha1.SparkQueueSpec) []Finding {
	if s.Parent != "" {
		return nil
	}
	var findings []Finding
	for i, f := range s.Flavors {
		for j, q := range f.Quotas {
			field, limit, to := "borrowingLimit", q.BorrowingLimit, "borrow from"
			if limit == nil {
				field, limit, to = "lendingLimit", q.LendingLimit, "lend to"
			}
			if limit != nil {
				findings = append(findings, Finding{
					Field:   fmt.Sprintf("spec.flavors[%d].quotas[%d].%s", i, j, field),
					Message: fmt.Sprintf("%q limits nothing, because a queue without spec.parent has no queue to %s; remove it, or set spec.parent", limit, to),
				})
			}
		}
	}
	return findings
}
