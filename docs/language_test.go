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
	"unicode/utf8"
)

// habits are turns of phrase that make a page hard to read, with what to write instead.
var habits = map[string]*regexp.Regexp{
	"name the actor: a user, an administrator, another controller, the API server": regexp.MustCompile(`(?i)\b(somebody|someone|nobody|whoever|those who)\b`),
	"write «quota» for what may be used, «capacity» for what nodes have":           regexp.MustCompile(`(?i)\brooms?\b`),
	"write «no longer»":                     regexp.MustCompile(`(?i)\bany ?more\b`),
	"write «continues»":                     regexp.MustCompile(`(?i)\b(goes|go|going|went) on\b`),
	"write «currently»":                     regexp.MustCompile(`(?i)\bas things stand\b`),
	"leave «too» out":                       regexp.MustCompile(`, too([.,;:)]|$| \|)`),
	"write «reports», «records»":            regexp.MustCompile(`(?i)\btold\b`),
	"write «invalid X», «is not a valid X»": regexp.MustCompile(`(?i)\b(value|name|it|this|that) is no [a-km-z]`),
}

// elsewhere are headings of sections whose words are not the page's own: the list of words to avoid, and tables that tests of the guard
// compare with their messages.
var elsewhere = []string{"Glossary", "Attempts", "Who may do what"}

// columns is the width of prose; tables, code and lines that are one long link may be wider.
const columns = 120

// TestLanguage holds the prose of all pages to plain English, in lines of a readable width, and to the words of the glossary.
func TestLanguage(t *testing.T) {
	t.Parallel()
	avoided := glossary(t)
	for _, p := range allPages(t) {
		for _, problem := range languageOf(p, avoided) {
			t.Error(problem)
		}
	}
}

// allPages are all Markdown pages for people, those beside the tests included.
func allPages(t *testing.T) []page {
	t.Helper()
	all := pages(t)
	for _, pattern := range []string{"test/*/README.md", "gitops/README.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			all = append(all, readPage(t, filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))))
		}
	}
	return all
}

func languageOf(p page, avoided []string) []string {
	var problems []string
	for _, s := range p.sections {
		if slices.Contains(elsewhere, s.heading) {
			continue
		}
		for _, line := range s.lines {
			if strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "|") && p.path == "docs/deviations.md" {
				continue // code, or the lists that are compared with the code
			}
			if utf8.RuneCountInString(line) > columns && !strings.HasPrefix(strings.TrimSpace(line), "|") && strings.Contains(strings.TrimSpace(line), " ") {
				problems = append(problems, p.path+": wider than 120 columns: "+line)
			}
			prose := codeSpan.ReplaceAllString(line, "`…`")
			for remedy, habit := range habits {
				if word := habit.FindString(prose); word != "" {
					problems = append(problems, p.path+": "+word+": "+remedy+": "+line)
				}
			}
			for _, word := range avoided {
				if strings.Contains(strings.ToLower(prose), word) {
					problems = append(problems, p.path+": "+word+": docs/concepts.md has another word for it: "+line)
				}
			}
		}
	}
	return problems
}

// glossary returns the words that docs/concepts.md excludes everywhere: those in code type in the last column.
func glossary(t *testing.T) []string {
	t.Helper()
	var words []string
	rows := 0
	for _, s := range readPage(t, "docs/concepts.md").sections {
		if s.heading != "Glossary" {
			continue
		}
		for i, line := range s.lines {
			isHeader := i+1 < len(s.lines) && strings.HasPrefix(s.lines[i+1], "| ---")
			if cells := strings.Split(line, "|"); len(cells) == 5 && !isHeader && !strings.HasPrefix(line, "| ---") {
				rows++
				words = append(words, spans(cells[3])...)
			}
		}
	}
	if rows != 25 {
		t.Errorf("the glossary has %d words, want 25: each more makes the others less known", rows)
	}
	return words
}

// TestFirstManifestIsTheExample: README shows examples/pi.yaml as it is.
func TestFirstManifestIsTheExample(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if example := examples(t)["pi.yaml"]; !strings.Contains(string(data), "```yaml\n"+example+"```") {
		t.Errorf("README.md does not show examples/pi.yaml, which is:\n%s", example)
	}
}
