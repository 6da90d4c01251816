// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"strings"
	"testing"
)

// TestNoInlineCode: the policy would not run it, and the page would be broken without a word.
func TestNoInlineCode(t *testing.T) {
	t.Parallel()
	files, err := templateFiles.ReadDir("templates")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := templateFiles.ReadFile("templates/" + file.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"<style", "style=", "onclick", "onload", "javascript:", "<script>", "http://", "https://"} {
			if strings.Contains(string(text), bad) {
				t.Errorf("%s has %q", file.Name(), bad)
			}
		}
	}
}
