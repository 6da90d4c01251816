// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package resourceversions

import "testing"

func TestOlder(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		version, than string
		want          bool
	}{
		{"9", "10", true}, {"10", "9", false}, {"10", "10", false},
		{"", "10", false}, {"10", "", false}, {"", "", false}, {"nine", "10", false},
	} {
		if got := Older(tc.version, tc.than); got != tc.want {
			t.Errorf("%q is older than %q: %t, want %t", tc.version, tc.than, got, tc.want)
		}
	}
}
