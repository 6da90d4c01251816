// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cause

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/internal/testing/golden"
)

// TestRecordedEndings: each recorded log says its cause and remedy in its first lines.
func TestRecordedEndings(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/endings/*.log")
	if err != nil || len(files) < 200 {
		t.Fatalf("%d endings, want at least 200; %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".log"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			head, log, _ := strings.Cut(string(text), "\n\n")
			from, _, _ := strings.Cut(head, "\n")
			role := "driver"
			if strings.Contains(from, "executor") {
				role = "executor"
			}
			found := Find(log)
			golden.Compare(t, file, fmt.Sprintf("%s\ncause: %s\nremedy: %s\n\n%s", from, found, RemedyOf(found, role), log))
		})
	}
}

// TestOfManySparks: the endings are of each version that is supported, and of each language.
func TestOfManySparks(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/endings/*.log")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		from, _, _ := strings.Cut(string(text), "\n")
		version, language, _ := strings.Cut(strings.TrimPrefix(from, "from: Spark "), ", ")
		seen[version[:min(3, len(version))]]++
		seen[language]++
	}
	for _, of := range []string{"3.5", "4.0", "4.1", "4.2", "4.3", "Java", "Python", "R"} {
		if seen[of] == 0 {
			t.Errorf("no ending is of %s: %v", of, seen)
		}
	}
}

// TestRemedies: each row finds a cause that it is for, and no row before it takes that away.
func TestRemedies(t *testing.T) {
	t.Parallel()
	for _, r := range Remedies() {
		for _, says := range r.Says {
			cause := strings.ReplaceAll(says, "…", " x ")
			if got := RemedyOf(cause, "driver"); got != r.Of("driver") && !strings.HasPrefix(cause, inTask) && got != r.Of("executor") {
				t.Errorf("%q: got %q, want %q", cause, got, r.Of("driver"))
			}
		}
	}
}

// TestWithRemedy: cause and remedy fit into a limit, the cause first.
func TestWithRemedy(t *testing.T) {
	t.Parallel()
	const heap, raise = "java.lang.OutOfMemoryError: Java heap space", "; raise executor.memory"
	long := "ValueError: " + strings.Repeat("x", 300) + separator + heap
	for name, tc := range map[string]struct {
		cause string
		limit int
		want  string
	}{
		"no cause":               {"", 100, ""},
		"no remedy":              {"ValueError: x", 100, "ValueError: x"},
		"both":                   {heap, 100, heap + raise},
		"a cause that is cut":    {long, 200, "ValueError: " + strings.Repeat("x", 200-len("ValueError: …"+separator+heap+raise)) + "…" + separator + heap + raise},
		"no space for a remedy":  {heap, 44, heap},
		"what failed in a task":  {inTask + heap, 100, inTask + heap + raise},
		"a limit below a remedy": {heap, 10, "java.la…"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := WithRemedy(tc.cause, "executor", tc.limit); got != tc.want || len(got) > tc.limit {
				t.Errorf("got  %q (%d bytes)\nwant %q", got, len(got), tc.want)
			}
		})
	}
}
