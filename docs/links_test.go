// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

var (
	link   = regexp.MustCompile(`\]\(([^)]+)\)`)
	target = regexp.MustCompile(`(?m)^([a-z0-9-]+):.*## `)
	called = regexp.MustCompile(`\bmake ((?:[a-z][a-z0-9-]*[a-z0-9])(?: [a-z][a-z0-9-]*[a-z0-9])*)`)
	notIn  = regexp.MustCompile(`[^a-z0-9 _-]`)
)

// everyPage returns all Markdown files of the repository but the one that hack/chart copies into the folder of the chart.
func everyPage(t *testing.T) []page {
	t.Helper()
	var all []page
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || slices.Contains([]string{"bin", "out", "node_modules"}, name)):
			return filepath.SkipDir
		case filepath.Ext(name) == ".md" && !entry.IsDir() && name != "readme.md":
			all = append(all, readPage(t, filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestEveryLinkLeadsSomewhere: files exist, and headings that are linked to do.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	t.Parallel()
	for _, p := range everyPage(t) {
		for _, s := range p.sections {
			for _, m := range link.FindAllStringSubmatch(s.text(), -1) {
				if !strings.Contains(m[1], "://") {
					checkLink(t, p, m[1])
				}
			}
		}
	}
}

func checkLink(t *testing.T, from page, to string) {
	t.Helper()
	path, anchor, _ := strings.Cut(to, "#")
	whole := from.path
	if path != "" {
		whole = filepath.Join(filepath.Dir(from.path), path)
	}
	if _, err := os.Stat(filepath.Join(root, whole)); err != nil {
		t.Errorf("%s: the link %s leads nowhere", from.path, to)
		return
	}
	if anchor == "" || filepath.Ext(whole) != ".md" {
		return
	}
	headings := readPage(t, whole).sections
	if !slices.ContainsFunc(headings, func(s section) bool { return slug(s.heading) == anchor }) {
		t.Errorf("%s: %s has no heading for the link %s", from.path, whole, to)
	}
}

// slug is the anchor that GitHub gives a heading.
func slug(heading string) string {
	return strings.ReplaceAll(notIn.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// TestEveryMakeTargetExists: the commands that the pages show exist.
func TestEveryMakeTargetExists(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	var targets []string
	for _, m := range target.FindAllStringSubmatch(string(data), -1) {
		targets = append(targets, m[1])
	}
	check := func(path, code string) {
		for _, m := range called.FindAllStringSubmatch(code, -1) {
			for _, name := range strings.Fields(m[1]) {
				if !slices.Contains(targets, name) {
					t.Errorf("%s: make %s: there is no such target", path, name)
				}
			}
		}
	}
	for _, p := range pages(t) {
		for _, code := range codeOf(p) {
			check(p.path, code)
		}
	}
	for path, text := range workflows(t) {
		check(path, text)
	}
}

// TestWorkflowsCallTheTargets: the workflows are valid YAML, and they run what a contributor can run.
func TestWorkflowsCallTheTargets(t *testing.T) {
	t.Parallel()
	var all string
	for path, text := range workflows(t) {
		var content map[string]any
		if err := yaml.UnmarshalStrict([]byte(text), &content); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		all += text
	}
	for _, target := range []string{"verify", "unit", "integration", "e2e-kind"} {
		if !strings.Contains(all, "run: make "+target+"\n") {
			t.Errorf("no workflow runs make %s", target)
		}
	}
}

// workflows returns the text of every workflow and issue form by its path.
func workflows(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, folder := range []string{".github/workflows", ".github/ISSUE_TEMPLATE"} {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.y*ml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[folder+"/"+filepath.Base(file)] = string(data)
		}
	}
	return texts
}

// codeOf is all code of a page: pieces in the text, and the lines of blocks.
func codeOf(p page) []string {
	var code []string
	for _, s := range p.sections {
		code = append(code, spans(s.text())...)
		for _, f := range s.fences {
			code = append(code, strings.Split(f.text, "\n")...)
		}
	}
	return code
}
