// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"

	"golang.org/x/term"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
)

func main() {
	s := cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	if term.IsTerminal(int(os.Stdout.Fd())) {
		s.Size = terminalSize
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

// runAs runs the program under a name, such as kubectl-spark, and returns its exit code.
func runAs(program string, args []string, s cli.Streams) int {
	s = s.Filtered()
	root := newRoot(program, s)
	root.SetArgs(args)
	called, err := root.ExecuteC()
	if err == nil {
		return 0
	}
	if called == root && cli.ExitCode(err) != cli.ExitUsage { // cobra has not found a command to run
		err = unknownCommand(root, err)
	}
	fmt.Fprintf(s.Err, "%s: %v\n", called.CommandPath(), err)
	return cli.ExitCode(err)
}
