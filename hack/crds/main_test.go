// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

const fresh = `metadata:
  annotations:
    controller-gen.kubebuilder.io/version: v0
spec:
  properties:
    a: {type: string, description: the first}
`

// TestNumbers: the number rises if and only if the schema differs, whatever its descriptions say.
func TestNumbers(t *testing.T) {
	t.Parallel()
	first, err := numbered([]byte(fresh), nil)
	if err != nil || !strings.Contains(string(first), "version: v0\n    sparkgate.io/schema: 1-") {
		t.Fatalf("%s, %v", first, err)
	}
	for name, c := range map[string]struct{ from, to, want string }{
		"the same":    {"", "", "1-"},
		"other words": {"the first", "another text", "1-"},
		"a field":     {"    a:", "    b:", "2-"},
		"a type":      {"string", "integer", "2-"},
	} {
		got, err := numbered([]byte(strings.Replace(fresh, c.from, c.to, 1)), first)
		if err != nil || !strings.Contains(string(got), "sparkgate.io/schema: "+c.want) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}
