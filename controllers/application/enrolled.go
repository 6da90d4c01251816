// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/lifecycle"
	"github.com/sparkgate/sparkgate/queueing"
)

func enrolled(namespace metav1.Object) bool {
	return namespace.GetLabels()[v1alpha1.EnrolledLabel] == "true"
}

// unguardedGate refuses, in an enrolled namespace, a gate that does not let executors in one by one: all of them wait behind the scheduling
// gate there, and nobody would lift it.
func (p *pass) unguardedGate(namespace metav1.Object) []lifecycle.Finding {
	gate := p.gateOf(namespace)
	known := p.Gates[string(gate)]
	if _, grows := known.(queueing.Elastic); !enrolled(namespace) || known == nil || grows {
		return nil
	}
	var allowed []string
	for name, other := range p.Gates {
		if _, grows := other.(queueing.Elastic); grows {
			allowed = append(allowed, name)
		}
	}
	slices.Sort(allowed)
	return []lifecycle.Finding{{Reason: v1alpha1.InvalidSpecReason, Message: fmt.Sprintf(
		"gate %s (%s) is not allowed in namespace %s, which is enrolled (label %s): set spec.queue.gate to %s",
		gate, p.gateField, namespace.GetName(), v1alpha1.EnrolledLabel, strings.Join(allowed, " or "))}}
}
