// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"fmt"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/namespacepolicy"
	"github.com/sparkgate/sparkgate/queueing"
)

// gateOf returns spec.queue.gate, else the namespace's annotation, else the operator's default. It is asked for each start anew, so nothing
// that was let in is touched when one of them changes.
func (p *pass) gateOf(policy namespacepolicy.Policy) v1alpha1.GateType {
	if q := p.app.Spec.Queue; q != nil && q.Gate != "" {
		return q.Gate
	}
	if policy.DefaultGate != "" {
		return v1alpha1.GateType(policy.DefaultGate)
	}
	return p.DefaultGate
}

// gateField returns where the gate of a start was named, for messages.
func gateField(app *v1alpha1.SparkApplication, policy namespacepolicy.Policy) string {
	switch {
	case app.Spec.Queue != nil && app.Spec.Queue.Gate != "":
		return "spec.queue.gate"
	case policy.DefaultGate != "":
		return fmt.Sprintf("annotation %s of namespace %s", v1alpha1.DefaultGateAnnotation, policy.Namespace)
	}
	return "flag --default-gate of the operator"
}

// noSuchGate returns the verdict on an ask of a gate that does not exist.
func noSuchGate(gate, field string) *queueing.Verdict {
	return &queueing.Verdict{State: queueing.Waiting, Reason: queueing.ReasonGateNotInstalled,
		Message: fmt.Sprintf("%s: gate %q does not exist in this version of the operator; set Embedded, Kueue, Volcano, YuniKorn or None", field, gate)}
}
