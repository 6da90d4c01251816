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
	"os/exec"
	"path/filepath"
)

// options are the flags.
type options struct {
	name    string
	dir     string
	verbose bool
}

func main() {
	var o options
	flag.StringVar(&o.name, "name", "", "name of the suite to run; without it, the suites named as arguments are added up")
	flag.StringVar(&o.dir, "dir", "out/tests", "folder that keeps the counts of the suites")
	flag.BoolVar(&o.verbose, "v", false, "print a line for each test as it ends")
	flag.Parse()

	run := func() error { return o.sum(os.Stdout, flag.Args()) }
	if o.name != "" {
		run = func() error { return o.suite(os.Stdout, flag.Args()) }
	}
	if err := run(); err != nil {
		if !errors.Is(err, errTold) {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
}

// errTold fails without a word: the line with the counts is to be the last one.
var errTold = errors.New("tests failed")

// suite runs the command and keeps its counts.
func (o options) suite(w io.Writer, command []string) error {
	if len(command) == 0 {
		return errors.New("testsum: give the command to run after --")
	}
	r := newResults()
	r.onText = func(s string) { fmt.Fprintln(w, s) }
	r.onPkg = func(p *pkg) { printPackage(w, p) }
	if o.verbose {
		r.onTest = func(_ *pkg, t *test) { printTest(w, t) }
	}
	runErr := runCommand(command, r)
	printFailures(w, r)
	c := r.count()
	if runErr != nil && c.Failed == 0 {
		fmt.Fprintf(w, "%s: %v\n", o.name, runErr)
		c.Failed++ // it broke outside of any test
	}
	fmt.Fprintf(w, "%s: %s\n", o.name, c.sentence())
	if err := o.keep(c); err != nil {
		return err
	}
	return verdict(o.name, c)
}

func runCommand(command []string, r *results) error {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	readErr := r.read(out)
	return errors.Join(cmd.Wait(), readErr)
}

func verdict(name string, c Counts) error {
	switch {
	case c.Failed > 0:
		return errTold
	case c.Passed == 0:
		return fmt.Errorf("%s: no test ran", name)
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

// sum adds up what the named suites have kept. A suite that did not run is a failure.
func (o options) sum(w io.Writer, names []string) error {
	var all Counts
	for _, name := range names {
		var c Counts
		data, err := os.ReadFile(o.file(name))
		if err == nil {
			err = json.Unmarshal(data, &c)
		}
		if err != nil {
			fmt.Fprintf(w, "%-12s did not run\n", name)
			c.Failed++
		} else {
			fmt.Fprintf(w, "%-12s %s\n", name, c.sentence())
		}
		all.add(c)
	}
	fmt.Fprintln(w, all.sentence())
	return verdict("all suites", all)
}
