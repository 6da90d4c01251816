// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestPriorityClassNames: an absent list is not an empty one.
func TestPriorityClassNames(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spec, class string
		want        bool
		remedy      string
	}{
		"absent":               {`{}`, "high", true, "does not begin with"},
		"absent, the system's": {`{}`, "system-node-critical", false, "list it in spec.priorityClassNames of queue q"},
		"empty":                {`{"priorityClassNames":[]}`, "high", false, "spec.priorityClassNames of queue q is empty"},
		"listed":               {`{"priorityClassNames":["high"]}`, "high", true, `use one of "high"`},
		"another":              {`{"priorityClassNames":["high"]}`, "higher", false, `use one of "high"`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var spec SparkQueueSpec
			if err := json.Unmarshal([]byte(tc.spec), &spec); err != nil {
				t.Fatal(err)
			}
			if got := spec.AllowsPriorityClass(tc.class); got != tc.want {
				t.Errorf("allows %t, want %t", got, tc.want)
			}
			if got := spec.PriorityClassRemedy("q"); !strings.Contains(got, tc.remedy) {
				t.Errorf("remedy %q, want %q", got, tc.remedy)
			}
		})
	}
}
