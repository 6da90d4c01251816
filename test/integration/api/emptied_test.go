// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"testing"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

// TestAQueueLosesItsQuota: a manifest from which the quota is removed, so that `spec: {}` is left, is applied on the server's side as
// Flux and Helm do. The API server takes a map that loses all of its fields for null, which it refuses where there is no default.
func TestAQueueLosesItsQuota(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: sparkgate.io/v1alpha1\nkind: SparkQueue\nmetadata: {name: emptied}\n"
	for _, spec := range []string{`spec: {flavors: [{name: default, quotas: [{resource: cpu, nominal: "20"}]}]}`, "spec: {}"} {
		if _, err := env.KubectlWith(t, head+spec+"\n", "apply", "--server-side", "-f", "-"); err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
	}
	if left, err := env.Kubectl(t, "get", "sgq", "emptied", "--output", "jsonpath={.spec}"); err != nil || left != "{}" {
		t.Errorf("left is %s, %v", left, err)
	}
}
