// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// slowest is how many of the slowest tests and packages are printed.
const slowest = 10

// Counts are the numbers of tests that ended in each way.
type Counts struct {
	Passed  int      `json:"passed"`
	Failed  int      `json:"failed"`
	Skipped int      `json:"skipped"`
	Flaky   []string `json:"flaky,omitempty"`  // among those that passed
	Broken  []string `json:"broken,omitempty"` // packages that failed outside of any test
	// Seconds from the first event to the last.
	Seconds  float64 `json:"seconds"`
	Tests    []Span  `json:"tests,omitempty"`
	Packages []Span  `json:"packages,omitempty"`
}

// Span is how long a test or a package took.
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

// longest returns the slowest of spans, in their order.
func longest(spans []Span) []Span {
	slices.SortFunc(spans, func(a, b Span) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Name, b.Name))
	})
	return spans[:min(slowest, len(spans))]
}

// report prints all but the numbers.
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

// sentence returns the line that tools look for: "12 passed, 0 failed", and what was skipped or flaky if anything was.
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
