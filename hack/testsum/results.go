// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"
)

// event is one line of go test -json (cmd/test2json).
type event struct {
	Time    time.Time
	Action  string
	Package string
	Test    string
}

// Actions that end a test or a package.
const (
	passed  = "pass"
	failed  = "fail"
	skipped = "skip"
)

// test is one test function or subtest.
type test struct {
	// result is that of the last run; empty while the test runs.
	result string
	// failed reports whether it failed at least once.
	failed bool
	// died reports whether its process ended during the test at least once; that does not count as flaky.
	died bool
}

// bad reports whether the test failed in its last run, or did not end because its process died.
func (t *test) bad() bool { return t.result == failed || t.result == "" || t.died }

func (t *test) flaky() bool { return t.failed && !t.bad() }

// pkg is one package under test. It is started several times if tests of it are run again.
type pkg struct {
	tests map[string]*test
	order []string
	ended bool
	// blamed reports whether a test has failed since the last start.
	blamed bool
	// unblamed reports whether the package has failed without a failed test: it does not compile, TestMain failed, or
	// the process died.
	unblamed bool
}

// results collects the events of packages by import path. The events of one package are in order.
type results struct {
	packages    map[string]*pkg
	paths       []string
	first, last time.Time
}

// read reads events until the end of the stream.
func (r *results) read(in io.Reader) error {
	for decoder := json.NewDecoder(in); ; {
		var e event
		if err := decoder.Decode(&e); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		r.take(e)
	}
}

func (r *results) take(e event) {
	if e.Package == "" {
		// Output of the compiler.
		return
	}
	if r.first.IsZero() || e.Time.Before(r.first) {
		r.first = e.Time
	}
	if e.Time.After(r.last) {
		r.last = e.Time
	}
	p := r.pkg(e.Package)
	if e.Test == "" {
		p.take(e)
	} else {
		p.takeTest(e)
	}
}

func (r *results) pkg(path string) *pkg {
	p := r.packages[path]
	if p == nil {
		if r.packages == nil {
			r.packages = map[string]*pkg{}
		}
		p = &pkg{tests: map[string]*test{}}
		r.packages[path] = p
		r.paths = append(r.paths, path)
	}
	return p
}

func (p *pkg) take(e event) {
	switch e.Action {
	case "start":
		p.ended, p.blamed = false, false
	case passed, failed, skipped:
		p.ended = true
		p.unblamed = p.unblamed || e.Action == failed && !p.blamed
		for _, t := range p.tests {
			t.died = t.died || t.result == ""
		}
	}
}

func (p *pkg) takeTest(e event) {
	t := p.tests[e.Test]
	if t == nil {
		t = &test{}
		p.tests[e.Test] = t
		p.order = append(p.order, e.Test)
	}
	switch e.Action {
	case "run":
		t.result = ""
	case passed, failed, skipped:
		t.result = e.Action
		if e.Action == failed {
			t.failed, p.blamed = true, true
		}
	}
}

// counted returns the names of the tests to count: those without subtests, and parents that failed although no subtest
// did.
func (p *pkg) counted() []string {
	parents, explained := map[string]bool{}, map[string]bool{}
	for _, name := range p.order {
		t := p.tests[name]
		for i := range name {
			if name[i] != '/' {
				continue
			}
			parents[name[:i]] = true
			if t.bad() || t.failed {
				explained[name[:i]] = true
			}
		}
	}
	var names []string
	for _, name := range p.order {
		t := p.tests[name]
		if !parents[name] || (t.bad() || t.flaky()) && !explained[name] {
			names = append(names, name)
		}
	}
	return names
}

// count sums everything that was read.
func (r *results) count() Counts {
	c := Counts{Seconds: r.last.Sub(r.first).Seconds()}
	for _, path := range r.paths {
		r.packages[path].count(strings.TrimPrefix(path, "github.com/sparkgate/sparkgate/"), &c)
	}
	return c
}

func (p *pkg) count(path string, c *Counts) {
	before := c.Failed
	for _, name := range p.counted() {
		t := p.tests[name]
		switch {
		case t.bad():
			c.Failed++
		case t.result == skipped:
			c.Skipped++
		default:
			c.Passed++
		}
		if t.flaky() {
			c.Flaky = append(c.Flaky, path+" "+name)
		}
	}
	if p.unblamed || !p.ended {
		c.Broken = append(c.Broken, path)
		c.Failed = max(c.Failed, before+1)
	}
}
