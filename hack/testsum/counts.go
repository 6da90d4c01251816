// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
)

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
	Seconds float64 `json:"seconds"`
}

func (c *Counts) add(o Counts) {
	c.Passed += o.Passed
	c.Failed += o.Failed
	c.Skipped += o.Skipped
	c.Seconds += o.Seconds
	c.Flaky = append(c.Flaky, o.Flaky...)
	c.Broken = append(c.Broken, o.Broken...)
}

// report prints everything but the numbers.
func (c Counts) report(w io.Writer) {
	for _, name := range c.Flaky {
		fmt.Fprintf(w, "flaky (failed, then passed): %s\n", name)
	}
	for _, name := range c.Broken {
		fmt.Fprintf(w, "failed outside of any test: %s\n", name)
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
