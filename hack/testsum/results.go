// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// event is one line of go test -json (cmd/test2json); build events have ImportPath instead of Package.
type event struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	Elapsed     float64 // seconds
	FailedBuild string
}

// Actions that end a test or a package.
const (
	passed  = "pass"
	failed  = "fail"
	skipped = "skip"
)

// test is one test function or subtest.
type test struct {
	name    string
	result  string // empty while it runs
	elapsed float64
	output  strings.Builder
}

// pkg is one package under test.
type pkg struct {
	path    string
	result  string
	elapsed float64
	output  strings.Builder // of no test in particular: panics, TestMain, build errors
	tests   map[string]*test
	order   []string
}

// Counts are numbers of tests that ended in each way.
type Counts struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

func (c *Counts) add(o Counts) {
	c.Passed += o.Passed
	c.Failed += o.Failed
	c.Skipped += o.Skipped
}

func (c Counts) total() int { return c.Passed + c.Failed + c.Skipped }

// results collects the events of one go test.
type results struct {
	packages map[string]*pkg
	builds   map[string]*strings.Builder // compiler output by import path
	onTest   func(*pkg, *test)           // called when a test has ended
	onPkg    func(*pkg)                  // called when a package has ended
	onText   func(string)                // called for lines that are no events
}

func newResults() *results {
	return &results{
		packages: map[string]*pkg{},
		builds:   map[string]*strings.Builder{},
		onTest:   func(*pkg, *test) {},
		onPkg:    func(*pkg) {},
		onText:   func(string) {},
	}
}

// read takes events until the end of the stream. A line that is no event is handed on as text.
func (r *results) read(in io.Reader) error {
	return eachLine(in, func(line []byte) {
		var e event
		if line[0] != '{' || json.Unmarshal(line, &e) != nil {
			r.onText(string(line))
			return
		}
		r.take(e)
	})
}

func (r *results) take(e event) {
	switch {
	case e.Action == "build-output":
		b := r.builds[e.ImportPath]
		if b == nil {
			b = &strings.Builder{}
			r.builds[e.ImportPath] = b
		}
		b.WriteString(e.Output)
	case e.Package == "":
	case e.Test == "":
		r.takePackage(e)
	default:
		r.takeTest(e)
	}
}

func (r *results) pkg(path string) *pkg {
	p := r.packages[path]
	if p == nil {
		p = &pkg{path: path, tests: map[string]*test{}}
		r.packages[path] = p
	}
	return p
}

func (r *results) takePackage(e event) {
	p := r.pkg(e.Package)
	switch e.Action {
	case "output":
		p.output.WriteString(e.Output)
	case passed, failed, skipped:
		p.result, p.elapsed = e.Action, e.Elapsed
		if b := r.builds[e.FailedBuild]; b != nil {
			p.output.WriteString(b.String())
		}
		r.onPkg(p)
	}
}

func (r *results) takeTest(e event) {
	p := r.pkg(e.Package)
	t := p.tests[e.Test]
	if t == nil {
		t = &test{name: e.Test}
		p.tests[e.Test] = t
		p.order = append(p.order, e.Test)
	}
	switch e.Action {
	case "output":
		t.output.WriteString(e.Output)
	case passed, failed, skipped:
		t.result, t.elapsed = e.Action, e.Elapsed
		r.onTest(p, t)
	}
}

// counted are the tests that count: those without subtests, those that did not end, and parents that failed by themselves.
func (p *pkg) counted() []*test {
	parents, blamed := map[string]bool{}, map[string]bool{}
	for _, name := range p.order {
		for i := range name {
			if name[i] != '/' {
				continue
			}
			parents[name[:i]] = true
			if p.tests[name].bad() {
				blamed[name[:i]] = true
			}
		}
	}
	var out []*test
	for _, name := range p.order {
		t := p.tests[name]
		if !parents[name] || t.bad() && !blamed[name] {
			out = append(out, t)
		}
	}
	return out
}

// bad says that the test failed, or never ended because its process died.
func (t *test) bad() bool { return t.result == failed || t.result == "" }

// count adds up one package. A package that failed without a failed test (it does not compile, TestMain failed, the process
// died) is one failure.
func (p *pkg) count() Counts {
	var c Counts
	for _, t := range p.counted() {
		switch {
		case t.bad():
			c.Failed++
		case t.result == skipped:
			c.Skipped++
		default:
			c.Passed++
		}
	}
	if p.result != passed && p.result != skipped && c.Failed == 0 {
		c.Failed++
	}
	return c
}

// count adds up everything seen.
func (r *results) count() Counts {
	var c Counts
	for _, p := range r.packages {
		c.add(p.count())
	}
	return c
}

// sorted are the packages by path.
func (r *results) sorted() []*pkg {
	out := make([]*pkg, 0, len(r.packages))
	for _, p := range r.packages {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b *pkg) int { return strings.Compare(a.path, b.path) })
	return out
}
