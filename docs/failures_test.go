// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/internal/job/cause"
	"github.com/sparkgate/sparkgate/internal/testing/golden"
)

// TestFailures: the page is the table of remedies, below its introduction.
func TestFailures(t *testing.T) {
	t.Parallel()
	const page = "failures.md"
	old, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	intro, _, _ := strings.Cut(string(old), "\n## ")
	var b strings.Builder
	b.WriteString(intro)
	class := ""
	for _, r := range cause.Remedies() {
		if r.Class != class {
			class = r.Class
			fmt.Fprintf(&b, "\n## %s\n\n| the cause contains | what to do |\n| --- | --- |\n", class)
		}
		fmt.Fprintf(&b, "| %s | %s |\n", code(r.Says...), r.Do)
	}
	golden.Compare(t, page, b.String())
}

// code returns texts as code, also those that contain a backquote.
func code(texts ...string) string {
	var all []string
	for _, text := range texts {
		mark := "`"
		if strings.Contains(text, mark) {
			mark = "``"
		}
		all = append(all, mark+text+mark)
	}
	return strings.Join(all, ", ")
}
