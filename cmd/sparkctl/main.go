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
	// size of the terminal that out is; nil if it is none.
	size func() (width, height int)
	// clock of what is shown as of now; nil is that of the machine.
	clock clock.PassiveClock
}

func main() {
	s := streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	if term.IsTerminal(int(os.Stdout.Fd())) {
		s.size = terminalSize
	}
	os.Exit(runAs(os.Args[0], os.Args[1:], s))
}

// terminalSize returns the size of the terminal, or a usual one if it does not answer.
func terminalSize() (width, height int) {
	width, height, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// width of the terminal; 0 if there is none.
func (s *streams) width() int {
	if s.size == nil {
		return 0
	}
	width, _ := s.size()
	return width
}

// runAs carries out a call of the program under a name, such as kubectl-spark, and returns the exit code.
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
