// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// maxFlaky is the number of flaky tests that a run may have.
const maxFlaky = 2

// options are the flags.
type options struct {
	name   string
	dir    string
	broken bool
}

func main() {
	var o options
	flag.StringVar(&o.name, "name", "", "name of the suite whose events are in the files given as arguments; without it, the suites named as arguments are added up")
	flag.StringVar(&o.dir, "dir", "out/tests", "folder that keeps the counts of the suites")
	flag.BoolVar(&o.broken, "broken", false, "the command that ran the tests failed")
	flag.Parse()

	run := o.sum
	if o.name != "" {
		run = o.suite
	}
	if err := run(os.Stdout, flag.Args()); err != nil {
		if !errors.Is(err, errFailed) {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
}

// errFailed makes the command exit with 1. It is not printed, so that the line with the counts is the last one.
var errFailed = errors.New("tests failed")

// suite counts the events in files, and keeps and prints the counts.
func (o options) suite(w io.Writer, files []string) error {
	r := results{}
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		err = r.read(file)
		_ = file.Close()
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
	}
	c := r.count()
	if o.broken && c.Failed == 0 {
		fmt.Fprintf(w, "%s: the tests were not run to their end\n", o.name)
		c.Failed++
	}
	if err := o.keep(c); err != nil {
		return err
	}
	return conclude(w, o.name, c)
}

// sum adds up the counts that the named suites have kept. A suite that did not run counts as a failure.
func (o options) sum(w io.Writer, names []string) error {
	var all Counts
	for _, name := range names {
		c, err := o.kept(name)
		if err != nil {
			fmt.Fprintf(w, "%-12s did not run\n", name)
			c.Failed++
		} else {
			fmt.Fprintf(w, "%-12s %s in %.0f s\n", name, c.sentence(), c.Seconds)
		}
		all.add(c)
	}
	return conclude(w, "", all)
}

// conclude prints the report of a suite, or of all. Its last line has the counts. It returns an error if a test failed
// or none ran.
func conclude(w io.Writer, name string, c Counts) error {
	c.report(w)
	if len(c.Flaky) > maxFlaky {
		fmt.Fprintf(w, "%d tests are flaky, and %d are one too many: they count as failed\n", len(c.Flaky), maxFlaky+1)
		c.Passed -= len(c.Flaky)
		c.Failed += len(c.Flaky)
	}
	if name != "" {
		name += ": "
	}
	fmt.Fprintf(w, "%s%s\n", name, c.sentence())
	switch {
	case c.Failed > 0:
		return errFailed
	case c.Passed == 0:
		return fmt.Errorf("%sno test ran", name)
	}
	return nil
}

func (o options) file(name string) string { return filepath.Join(o.dir, name+".json") }

func (o options) keep(c Counts) error {
	if err := os.MkdirAll(o.dir, 0o755); err != nil {
		return err
	}
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(o.file(o.name), append(data, '\n'), 0o644)
}

func (o options) kept(name string) (c Counts, err error) {
	data, err := os.ReadFile(o.file(name))
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	return c, err
}
