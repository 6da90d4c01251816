// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// Exit codes.
const (
	exitFailed = 1
	exitUsage  = 2
)

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
	// raw is out without the filter for control characters.
	raw io.Writer
	// width of the terminal that out is; 0 if it is none.
	width int
}

// usageError is a call that cannot be understood.
type usageError struct{ error }

func main() {
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		width = 0 // a file or a pipe
	}
	os.Exit(runAs(os.Args[0], os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr, width: width}))
}

// run carries out a call of sparkctl and returns the exit code.
func run(args []string, s streams) int { return runAs("sparkctl", args, s) }

// runAs carries out a call of the program under a name, such as kubectl-spark.
func runAs(program string, args []string, s streams) int {
	s.raw, s.out, s.err = s.out, terminal{s.out}, terminal{s.err}
	root := newRoot(program, s)
	root.SetArgs(args)
	called, err := root.ExecuteC()
	if err == nil {
		return 0
	}
	if called == root && !errors.As(err, &usageError{}) { // no command has run
		err = unknownCommand(root, err)
	}
	fmt.Fprintf(s.err, "%s: %v\n", called.CommandPath(), err)
	var coded codedError
	switch {
	case errors.As(err, &usageError{}):
		return exitUsage
	case errors.As(err, &coded):
		return coded.code
	}
	return exitFailed
}
