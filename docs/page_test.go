// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package docs_test holds the documentation to the code: every field, reason, flag and metric has its place in the pages, every
// manifest in them is one that the API takes, every link leads somewhere. It reads sources and CRDs as files, because a page is
// about what is in the repository.
package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root of the repository, seen from this folder.
const root = ".."

// page is a Markdown file.
type page struct {
	// path from the root of the repository.
	path     string
	sections []section
}

// section is a heading with the text up to the next one, of whatever level.
type section struct {
	level   int
	heading string
	// chapter is the heading of level 2 above, or its own.
	chapter string
	lines   []string
	fences  []fence
}

// fence is a block of code.
type fence struct {
	language string
	line     int
	text     string
}

// pages returns all pages that these tests read.
func pages(t *testing.T) []page {
	t.Helper()
	var paths []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/releases/*.md", "examples/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			paths = append(paths, filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator))))
		}
	}
	all := make([]page, 0, len(paths))
	for _, path := range paths {
		all = append(all, readPage(t, path))
	}
	return all
}

func readPage(t *testing.T, path string) page {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	p := page{path: path, sections: []section{{}}}
	reader := pageReader{page: &p}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		reader.take(n, strings.TrimRight(line, "\n"))
	}
	if reader.open != nil {
		t.Fatalf("%s:%d: the block is not closed", path, reader.open.line)
	}
	return p
}

// pageReader takes a page apart, line by line.
type pageReader struct {
	page    *page
	chapter string
	open    *fence
}

var headings = regexp.MustCompile(`^(#{1,4}) (.*)$`)

func (r *pageReader) take(n int, line string) {
	current := &r.page.sections[len(r.page.sections)-1]
	text, isFence := strings.CutPrefix(strings.TrimLeft(line, " "), "```")
	switch {
	case r.open != nil && isFence:
		current.fences = append(current.fences, *r.open)
		r.open = nil
	case r.open != nil:
		r.open.text += line + "\n"
	case isFence:
		r.open = &fence{language: text, line: n}
	default:
		m := headings.FindStringSubmatch(line)
		if m == nil {
			current.lines = append(current.lines, line)
			return
		}
		if len(m[1]) <= 2 {
			r.chapter = m[2]
		}
		r.page.sections = append(r.page.sections, section{level: len(m[1]), heading: m[2], chapter: r.chapter})
	}
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

// spans are the pieces of code in a text.
func spans(text string) []string {
	var out []string
	for _, m := range codeSpan.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// text is everything in a section but blocks of code.
func (s section) text() string { return strings.Join(s.lines, "\n") }

// firstCells are the first cells of the rows of all tables of a section, header and rule left out.
func (s section) firstCells() []string {
	var cells []string
	for i, line := range s.lines {
		isRow := strings.HasPrefix(line, "|")
		isHeader := i+1 < len(s.lines) && strings.HasPrefix(s.lines[i+1], "| ---")
		if isRow && !isHeader && !strings.HasPrefix(line, "| ---") {
			cells = append(cells, strings.TrimSpace(strings.Split(line, "|")[1]))
		}
	}
	return cells
}

// text is the text of the whole page, code included.
func (p page) text() string {
	var b strings.Builder
	for _, s := range p.sections {
		b.WriteString(s.heading + "\n" + s.text() + "\n")
		for _, f := range s.fences {
			b.WriteString(f.text)
		}
	}
	return b.String()
}
