// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package expectations

import "testing"

func TestVersion(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		known     Version
		shown     string
		satisfied bool
		newest    Version
	}{
		{"10", "9", false, "10"}, {"9", "10", true, "10"}, {"10", "10", true, "10"},
		{"", "10", true, "10"}, {"10", "", true, "10"}, {"", "", true, ""}, {"10", "nine", true, "10"},
		{Deleted, "12345678901234567890", false, Deleted},
	} {
		if got := tc.known.SatisfiedBy(tc.shown); got != tc.satisfied {
			t.Errorf("%q is satisfied by %q: %t, want %t", tc.known, tc.shown, got, tc.satisfied)
		}
		if got := tc.known.Newest(tc.shown); got != tc.newest {
			t.Errorf("the newest of %q and %q: %q, want %q", tc.known, tc.shown, got, tc.newest)
		}
	}
}
