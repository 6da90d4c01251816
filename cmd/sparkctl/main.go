// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
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
}

// command is one thing that sparkctl does.
type command struct {
	name string
	// arguments, as they stand behind the name in the usage.
	arguments string
	// summary is half a sentence, text the rest of its help.
	summary, text string
	// run declares its flags, calls parse on them, and does the work. A usageError is one of the caller's.
	run func(flags *flag.FlagSet, args []string, s streams) error
}

// commands in the order in which help lists them.
var commands = []command{
	{
		name: "explain", arguments: "[queue] NAME", summary: "say why an application waits, live",
		text: explainText, run: explainCommand,
	},
	{
		name: "schedule", arguments: "next NAME|-f FILE", summary: "print the coming times of schedules",
		text: scheduleText, run: scheduleCommand,
	},
	{
		name: "simulate", arguments: "-f FILE", summary: "play a scenario against the queues in virtual time",
		text: simulateText, run: simulateCommand,
	},
	{
		name: "replay", arguments: "-f FILE", summary: "play a decision log of the operator again and compare",
		text: replayText, run: replayCommand,
	},
	{
		name: "from-submit", arguments: "-- ARGUMENT…", summary: "print the SparkApplication for a call of spark-submit",
		text: fromSubmitText, run: fromSubmitCommand,
	},
	{
		name: "render", arguments: "-f FILE", summary: "print the objects that the operator would create",
		text: renderText, run: renderCommand,
	},
	{
		name: "lint", arguments: "FILE...", summary: "check manifests with the operator's own rules",
		text: lintText, run: lintCommand,
	},
	{
		name: "diff-submit", arguments: "RECORDING…", summary: "compare with what a real spark-submit has sent",
		text: diffSubmitText, run: diffSubmitCommand,
	},
	{
		name: "uninstall", arguments: "", summary: "remove finalizers that nothing else removes once the operator is gone",
		text: uninstallText, run: uninstallCommand,
	},
}

// usageError is a call that cannot be understood.
type usageError struct{ error }

func main() {
	os.Exit(run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}

// run carries out a call and returns the exit code.
func run(args []string, s streams) int {
	s.out, s.err = terminal{s.out}, terminal{s.err}
	name := "help"
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	if name == "help" || name == "-h" || name == "-help" || name == "--help" {
		return exitCode("help", help(args, s.out), s)
	}
	c := find(name)
	if c == nil {
		return exitCode(name, unknown(name), s)
	}
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	err := c.run(flags, args, s)
	if errors.Is(err, flag.ErrHelp) {
		err = help([]string{name}, s.out)
	}
	return exitCode(name, err, s)
}

// exitCode reports an error and says with which code to end.
func exitCode(name string, err error, s streams) int {
	if err == nil {
		return 0
	}
	fmt.Fprintf(s.err, "sparkctl %s: %v\n", name, err)
	if errors.As(err, &usageError{}) {
		return exitUsage
	}
	return exitFailed
}

func find(name string) *command {
	for i := range commands {
		if commands[i].name == name {
			return &commands[i]
		}
	}
	return nil
}

func unknown(name string) error {
	return usageError{fmt.Errorf("there is no command %q; sparkctl help lists them", name)}
}

// help lists the commands, or explains one.
func help(args []string, out io.Writer) error {
	if len(args) == 0 {
		fmt.Fprint(out, "sparkctl is the command-line tool of Sparkgate.\n\nUsage:\n\n")
		for _, c := range commands {
			fmt.Fprintf(out, "  sparkctl %-28s %s\n", c.name+" "+c.arguments, c.summary)
		}
		_, err := fmt.Fprint(out, "\nsparkctl help COMMAND says more.\n")
		return err
	}
	c := find(args[0])
	if c == nil {
		return unknown(args[0])
	}
	_, err := fmt.Fprintf(out, "Usage: sparkctl %s %s\n\n%s", c.name, c.arguments, c.text)
	return err
}

// parse reads the flags of a command that takes no other arguments.
func parse(flags *flag.FlagSet, args []string) error {
	if err := parseOptions(flags, args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return usageError{fmt.Errorf("unexpected argument %q; see sparkctl help %s", flags.Arg(0), flags.Name())}
	}
	return nil
}

// parseOptions reads the options, and leaves other arguments to the command.
func parseOptions(flags *flag.FlagSet, args []string) error {
	err := flags.Parse(args)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return err
	}
	return usageError{fmt.Errorf("%w; see sparkctl help %s", err, flags.Name())}
}
