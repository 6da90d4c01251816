// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// slowest is the number of slowest tests and packages that are printed.
const slowest = 10

// Counts are the numbers of tests by result.
type Counts struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
	// Flaky are among those that passed.
	Flaky []string `json:"flaky,omitempty"`
	// Broken are packages that failed outside of any test.
	Broken []string `json:"broken,omitempty"`
	// Seconds is the time from the first event to the last.
	Seconds  float64 `json:"seconds"`
	Tests    []Span  `json:"tests,omitempty"`
	Packages []Span  `json:"packages,omitempty"`
}

// Span is the duration of a test or a package.
type Span struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

func (c *Counts) add(o Counts) {
	c.Passed += o.Passed
	c.Failed += o.Failed
	c.Skipped += o.Skipped
	c.Seconds += o.Seconds
	c.Flaky = append(c.Flaky, o.Flaky...)
	c.Broken = append(c.Broken, o.Broken...)
	c.Tests = longest(append(c.Tests, o.Tests...))
	c.Packages = longest(append(c.Packages, o.Packages...))
}

// longest returns the slowest spans, slowest first.
func longest(spans []Span) []Span {
	slices.SortFunc(spans, func(a, b Span) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Name, b.Name))
	})
	return spans[:min(slowest, len(spans))]
}

// report prints everything but the numbers.
func (c Counts) report(w io.Writer) {
	printSpans(w, "slowest packages", c.Packages)
	printSpans(w, "slowest tests", c.Tests)
	for _, name := range c.Flaky {
		fmt.Fprintf(w, "flaky (failed, then passed): %s\n", name)
	}
	for _, name := range c.Broken {
		fmt.Fprintf(w, "failed outside of any test: %s\n", name)
	}
}

func printSpans(w io.Writer, title string, spans []Span) {
	if len(spans) == 0 {
		return
	}
	fmt.Fprintf(w, "%s:\n", title)
	for _, s := range spans {
		fmt.Fprintf(w, "  %6.1f s  %s\n", s.Seconds, s.Name)
	}
}

// sentence returns the line that other tools parse: "12 passed, 0 failed", and the numbers of skipped and flaky tests
// if there are any.
func (c Counts) sentence() string {
	s := fmt.Sprintf("%d passed, %d failed", c.Passed, c.Failed)
	if c.Skipped > 0 {
		s += fmt.Sprintf(", %d skipped", c.Skipped)
	}
	if len(c.Flaky) > 0 {
		s += fmt.Sprintf(", %d flaky", len(c.Flaky))
	}
	return s
}
