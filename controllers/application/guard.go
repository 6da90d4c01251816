// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"fmt"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/namespacepolicy"
	"github.com/sparkgate/sparkgate/queueing"
)

// unguardedGate refuses, in a guarded namespace, a gate that does not let executors in one by one: all of them wait behind the scheduling
// gate there, and nobody would lift it.
func (p *pass) unguardedGate(policy namespacepolicy.Policy) []lifecycle.Finding {
	gate := p.gateOf(policy)
	if !policy.Guarded || !p.Gates.Known(string(gate)) || p.Gates.Capabilities(string(gate)).Resizes {
		return nil
	}
	allowed := p.Gates.Names(func(can queueing.Capabilities) bool { return can.Resizes })
	return []lifecycle.Finding{{Reason: v1alpha1.InvalidSpecReason, Message: fmt.Sprintf(
		"gate %s (%s) is not allowed in namespace %s, which is guarded (label %s): set spec.queue.gate to %s",
		gate, p.gateField, policy.Namespace, v1alpha1.GuardedLabel, strings.Join(allowed, " or "))}}
}
