// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package guardpolicies

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

// tableOf returns the rows of the table under a heading of docs/guard-attempts.md, without its head.
func tableOf(t *testing.T, heading string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(env.Root(), "docs", "guard-attempts.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(data), "\n"+heading+"\n")
	if !found {
		t.Fatalf("docs/guard-attempts.md has no heading %q", heading)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	var rows []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "| ") {
			rows = append(rows, strings.TrimSuffix(line, "\n"))
		}
	}
	if len(rows) < 2 {
		t.Fatalf("no table under %q", heading)
	}
	return rows[2:]
}
