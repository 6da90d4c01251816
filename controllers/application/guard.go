// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/namespacepolicy"
	"github.com/sparkgate/sparkgate/queueing"
)

// unguardedGate refuses, in a guarded namespace, a gate that does not let executors in one by one: all of them wait behind the scheduling
// gate there, and nobody would lift it.
func (p *pass) unguardedGate(policy namespacepolicy.Policy) []lifecycle.Finding {
	gate := p.gateOf(policy)
	known := p.Gates[string(gate)]
	if _, grows := known.(queueing.Elastic); !policy.Guarded || known == nil || grows {
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
		"gate %s (%s) is not allowed in namespace %s, which is guarded (label %s): set spec.queue.gate to %s",
		gate, p.gateField, policy.Namespace, v1alpha1.GuardedLabel, strings.Join(allowed, " or "))}}
}
