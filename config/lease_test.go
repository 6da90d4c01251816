// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"slices"
	"testing"
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
