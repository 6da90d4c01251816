// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
)

func TestTheOperatorMayHoldItsLease(t *testing.T) {
	t.Parallel()
	verbs := verbsOn(rulesOf(t, "rbac/*.yaml", "sparkgate-leader-election"), "coordination.k8s.io", "leases")
	for _, verb := range []string{"get", "create", "update"} {
		if !slices.Contains(verbs, verb) {
			t.Errorf("it may not %s leases", verb)
		}
	}
}

// TestSlowIsNotDead: beside jobs that take the node's CPU an answer may take seconds, and a restart is the most work of all.
func TestSlowIsNotDead(t *testing.T) {
	t.Parallel()
	for _, d := range built[appsv1.Deployment](t, overlay(t), "Deployment") {
		c := d.Spec.Template.Spec.Containers[0]
		if c.LivenessProbe.TimeoutSeconds < 5 || c.ReadinessProbe.TimeoutSeconds < 5 {
			t.Errorf("probes wait %d s and %d s for an answer", c.LivenessProbe.TimeoutSeconds, c.ReadinessProbe.TimeoutSeconds)
		}
	}
}
