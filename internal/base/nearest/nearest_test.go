// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package nearest

import "testing"

func TestTo(t *testing.T) {
	t.Parallel()
	names := []string{"default", "team-a", "team-b", "Nightly"}
	for wrong, want := range map[string]string{
		"team-a": "team-a", "taem-b": "team-b", "defalut": "default", "defaul": "default", "nightly": "Nightly", "team-aaa": "team-a",
		"team-c": "team-a", "batch": "", "": "", "team": "team-a", "team-bcd": "team-b", "n": "",
	} {
		if got := To(wrong, names); got != want {
			t.Errorf("To(%q) = %q, want %q", wrong, got, want)
		}
	}
	for wrong, want := range map[string]string{"imagee": "image", "img": "image", "ENV": "env", "envfrom": "envFrom", "volumes": ""} {
		if got := To(wrong, []string{"image", "imagePullPolicy", "name", "env", "envFrom"}); got != want {
			t.Errorf("To(%q) = %q, want %q", wrong, got, want)
		}
	}
	if got := To("team-a", nil); got != "" {
		t.Errorf("To of no names = %q", got)
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b string
		want int
	}{
		{"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "ab", 1}, {"abc", "xabc", 1}, {"abc", "axc", 1}, {"abcd", "badc", 2}, {"abcd", "abxy", 2},
		{"abcd", "axyz", 3}, {"", "ab", 2}, {"", "abc", 3}, {"abcdef", "abc", 3}, {"", "", 0},
	} {
		if got := distance(tc.a, tc.b); got != tc.want || distance(tc.b, tc.a) != tc.want {
			t.Errorf("distance of %q and %q: %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}
