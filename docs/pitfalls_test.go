// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const pitfallsPage = "docs/pitfalls.md"

// notYet is the chapter of what Sparkgate does not do better, which no test shows.
const notYet = "Not yet"

// tableRow are the cells of a row of a table; nil for other lines, and for the rule below a header.
func tableRow(line string) []string {
	if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| ---") {
		return nil
	}
	cells := strings.Split(strings.Trim(line, "| "), " | ")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// TestEveryPitfallIsShownByATest: each row but those of the last chapter names folders, and in each of them tests, parts of tests or movies
// that exist.
func TestEveryPitfallIsShownByATest(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, s := range readPage(t, pitfallsPage).sections {
		for i, line := range s.lines {
			cells := tableRow(line)
			isHeader := i+1 < len(s.lines) && strings.HasPrefix(s.lines[i+1], "| ---")
			if cells == nil || isHeader || s.chapter == notYet {
				continue
			}
			if checked++; len(cells) != 4 {
				t.Errorf("%d cells, want 4: %s", len(cells), line)
				continue
			}
			checkShown(t, cells[0], spans(cells[3]))
		}
	}
	if checked < 30 {
		t.Errorf("only %d rows were found", checked)
	}
}

// checkShown checks what is said to show one thing: folders, each followed by what is in it.
func checkShown(t *testing.T, what string, names []string) {
	t.Helper()
	folder, shown := "", 0
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(root, name)); err == nil && info.IsDir() {
			folder = name
			continue
		}
		switch {
		case folder == "":
			t.Errorf("%s: %s stands before its folder, or is a folder that does not exist", what, name)
		case strings.HasPrefix(name, "Test"):
			checkTest(t, folder, name)
		default:
			if _, err := os.Stat(filepath.Join(root, folder, "testdata", name+".movie")); err != nil {
				t.Errorf("%s: %s has neither a movie nor a folder %s", what, folder, name)
			}
		}
		shown++
	}
	if shown == 0 {
		t.Errorf("%s: nothing shows it", what)
	}
}

var testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)

// checkTest looks for a test in the files of a folder, and for the name of its part after the first slash.
func checkTest(t *testing.T, folder, name string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	function, part, _ := strings.Cut(name, "/")
	var functions []string
	hasPart := part == ""
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testFunction.FindAllStringSubmatch(string(data), -1) {
			functions = append(functions, m[1])
		}
		hasPart = hasPart || strings.Contains(string(data), `"`+part+`"`)
	}
	if !slices.Contains(functions, function) {
		t.Errorf("%s has no %s", folder, function)
	}
	if !hasPart {
		t.Errorf("%s has no part %q of %s", folder, part, function)
	}
}
