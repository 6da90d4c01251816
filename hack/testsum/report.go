// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// eachLine hands on every line that is not empty, of any length.
func eachLine(in io.Reader, do func([]byte)) error {
	r := bufio.NewReaderSize(in, 1<<16)
	for {
		line, err := r.ReadBytes('\n')
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 {
			do(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// printPackage says in one line how a package did.
func printPackage(w io.Writer, p *pkg) {
	c := p.count()
	switch {
	case c.Failed > 0:
		fmt.Fprintf(w, "FAIL  %-70s %4d failed %6.1fs\n", p.path, c.Failed, p.elapsed)
	case c.total() == 0:
	default:
		fmt.Fprintf(w, "ok    %-70s %4d tests  %6.1fs\n", p.path, c.total(), p.elapsed)
	}
}

// printTest says in one line that a test has ended; for suites in which one test takes long.
func printTest(w io.Writer, t *test) {
	if strings.Contains(t.name, "/") && t.result == passed {
		return
	}
	fmt.Fprintf(w, "      %-4s %-70s %6.1fs\n", t.result, t.name, t.elapsed)
}

// printFailures shows everything that failed tests wrote, and why tests were skipped.
func printFailures(w io.Writer, r *results) {
	for _, p := range r.sorted() {
		for _, t := range p.counted() {
			if t.result == skipped {
				fmt.Fprintf(w, "\n--- skipped: %s %s\n%s", p.path, t.name, substance(t.output.String()))
			}
		}
		if p.count().Failed == 0 {
			continue
		}
		for _, name := range p.order {
			if t := p.tests[name]; t.bad() {
				printOutput(w, p.path+" "+t.name, t.output.String())
			}
		}
		printOutput(w, p.path, p.output.String())
	}
}

// printOutput shows what was written; nothing if that was only the fact of the failure.
func printOutput(w io.Writer, name, output string) {
	text := substance(output)
	if strings.TrimSpace(verdicts.ReplaceAllString(text, "")) != "" {
		fmt.Fprintf(w, "\n--- failed: %s\n%s", name, text)
	}
}

var (
	// steps are lines of go test about its own doings.
	steps = regexp.MustCompile(`(?m)^=== (RUN|PAUSE|CONT|NAME) .*\n`)
	// verdicts are lines that say no more than that something failed.
	verdicts = regexp.MustCompile(`(?m)^ *(--- (FAIL|SKIP): .*|FAIL|PASS|FAIL\t.*|exit status \d+)\n`)
)

// substance is the output without the steps.
func substance(output string) string { return steps.ReplaceAllString(output, "") }

// sentence is the line that tools look for: "12 passed, 0 failed", and what was skipped if anything was.
func (c Counts) sentence() string {
	s := fmt.Sprintf("%d passed, %d failed", c.Passed, c.Failed)
	if c.Skipped > 0 {
		s += fmt.Sprintf(", %d skipped", c.Skipped)
	}
	return s
}
