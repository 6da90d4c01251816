// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"os"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/internal/testing/golden"
)

// TestHabits compares what is said of habits, one a line of testdata/habits.txt, with the sentences below each.
func TestHabits(t *testing.T) {
	t.Parallel()
	const file = "testdata/habits.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	said := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "    ") {
			continue
		}
		got.WriteString(line)
		app := spec(line).application(t)
		for level, findings := range map[string][]Finding{"refused": checkHabits(newSubject(app)), "warning": habitWarnings(newSubject(app))} {
			for _, f := range findings {
				got.WriteString("    " + level + ": " + f.String() + "\n")
				said++
			}
		}
	}
	golden.Compare(t, file, got.String())
	if said < len(habits) {
		t.Errorf("%d sentences for %d habits", said, len(habits))
	}
}
