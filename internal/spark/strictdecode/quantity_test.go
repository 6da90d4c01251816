// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package strictdecode

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/internal/base/finding"
)

func TestEndless(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"1": false, "500m": false, "1e3": false, "1E": false, "8Ei": false, "1n": false, "0": false, "123456789012345678901234567890": false,
		"1e99": false, "1e007": false, "1e100": true, "1e999999": true, "1e-999999": true, "1e+0999": true, "-1E9999999999": true,
	} {
		if got := Endless(text); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
}

// TestEndlessQuantities are found wherever they stand, and only where a quantity stands.
func TestEndlessQuantities(t *testing.T) {
	t.Parallel()
	const high, low = `value "1e999999999" has an exponent`, `value "1e-999999999" has an exponent`
	const rest = " of more than two digits: set a quantity such as 500m or 2Gi"
	tests := map[string]struct {
		spec string
		want []finding.Finding
	}{
		"none": {`{"containers": [{"name": "a", "env": [{"name": "REVISION", "value": "1e999999999"}],
			"resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}]}`, nil},
		"of a container": {`{"containers": [{"name": "a"}, {"name": "b", "resources": {"limits": {"memory": "1e999999999", "cpu": "1e-999999999"}}}]}`,
			[]finding.Finding{{Field: "spec.containers[1].resources.limits.cpu", Message: low + rest}, {Field: "spec.containers[1].resources.limits.memory", Message: high + rest}}},
		"of a volume": {`{"volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1e999999999"}}]}`,
			[]finding.Finding{{Field: "spec.volumes[0].emptyDir.sizeLimit", Message: high + rest}}},
		"of all pods": {`{"overhead": {"cpu": "1e999999999"}}`, []finding.Finding{{Field: "spec.overhead.cpu", Message: high + rest}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, Decode([]byte(tc.spec), "spec", &corev1.PodSpec{})); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}
