// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
	"k8s.io/utils/clock"
)

// Exit codes of all commands.
const (
	exitFailed = 1
	exitUsage  = 2
)

// streams are the inputs and outputs of a command.
type streams struct {
	in       io.Reader
	out, err io.Writer
	// raw is out without the filter of control characters.
	raw io.Writer
	// size returns the size of the terminal; nil if out is not a terminal.
	size func() (width, height int)
	// clock returns the current time; nil is the real clock.
	clock clock.PassiveClock
}

func main() {
	s := streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	if term.IsTerminal(int(os.Stdout.Fd())) {
		s.size = terminalSize
	}
	os.Exit(runAs(os.Args[0], os.Args[1:], s))
}

// terminalSize returns the size of the terminal, or 80×24 if it is not known.
func terminalSize() (width, height int) {
	width, height, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// width returns the width of the terminal, or 0 if out is not a terminal.
func (s *streams) width() int {
	if s.size == nil {
		return 0
	}
	width, _ := s.size()
	return width
}

// runAs runs the program under a name, such as kubectl-spark, and returns its exit code.
func runAs(program string, args []string, s streams) int {
	s.raw, s.out, s.err = s.out, terminal{s.out}, terminal{s.err}
	if s.clock == nil {
		s.clock = clock.RealClock{}
	}
	root := newRoot(program, s)
	root.SetArgs(args)
	called, err := root.ExecuteC()
	if err == nil {
		return 0
	}
	if called == root && !errors.As(err, &usageError{}) { // cobra has not found a command to run
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
