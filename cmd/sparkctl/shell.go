// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/internal/client"
)

const shellText = `Opens a shell in the driver of an application, or in one of its executors: bash if the image has it, otherwise
sh. With a command after --, it runs that instead and exits with its exit code.`

// resizeEvery is the interval at which the size of the terminal is checked.
const resizeEvery = 500 * time.Millisecond

// shellFlags are the flags of shell.
type shellFlags struct {
	cluster  client.Options
	executor string
}

// newShell returns the command "sparkctl shell".
func newShell(s streams) *cobra.Command {
	var f shellFlags
	c := aboutApplication(&cobra.Command{
		SuggestFor: []string{"exec", "attach"},
		Use:        "shell NAME [-- COMMAND...]", Short: "Open a shell in the driver or in an executor", Long: shellText,
		Example: "  sparkctl shell pi\n  sparkctl shell pi --executor 2\n  sparkctl shell pi -- jcmd 1 Thread.print",
	}, &f.cluster, nil)
	c.Args = func(c *cobra.Command, args []string) error {
		if dash := c.ArgsLenAtDash(); dash >= 0 {
			return oneApplication(c, args[:dash])
		}
		return oneApplication(c, args)
	}
	c.RunE = func(c *cobra.Command, args []string) error { return f.run(c.Context(), args[0], args[1:], s) }
	c.Flags().StringVar(&f.executor, "executor", "", "the executor with this `NUMBER`, instead of the driver")
	return c
}

func (f *shellFlags) run(ctx context.Context, name string, command []string, s streams) error {
	if n, err := strconv.Atoi(f.executor); f.executor != "" && (err != nil || n < 1) {
		return usageError{fmt.Errorf("--executor is %q; set it to a number from 1", f.executor)}
	}
	c, app, err := connectTo(ctx, f.cluster, name)
	if err != nil {
		return err
	}
	pod, err := runningPod(ctx, c, app, f.executor)
	if err != nil {
		return err
	}
	if len(command) == 0 {
		command = []string{"sh", "-c", "command -v bash >/dev/null && exec bash || exec sh"}
	}
	// Unlike other output, that of the command is not filtered for control characters, as in a local shell.
	session := client.Session{Command: command, In: s.in, Out: s.raw, Err: s.err}
	if s.size != nil && term.IsTerminal(int(os.Stdin.Fd())) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		session.Sizes = &sizes{now: s.size, done: ctx.Done()}
		before, err := term.MakeRaw(int(os.Stdin.Fd()))
		if err != nil {
			return fmt.Errorf("prepare the terminal: %w", err)
		}
		defer term.Restore(int(os.Stdin.Fd()), before) //nolint:errcheck // the terminal is gone if it fails
	}
	err = c.Exec(ctx, pod, session)
	if code, ofCommand := client.ExitStatus(err); ofCommand {
		return codedError{fmt.Errorf("the command has ended with exit code %d", code), code}
	}
	return err
}

// sizes sends the size of the terminal: once at the start, and whenever it has changed.
type sizes struct {
	now  func() (width, height int)
	done <-chan struct{}
	last remotecommand.TerminalSize
}

// Next implements remotecommand.TerminalSizeQueue.
func (q *sizes) Next() *remotecommand.TerminalSize {
	for {
		width, height := q.now()
		if size := (remotecommand.TerminalSize{Width: uint16(width), Height: uint16(height)}); size != q.last {
			q.last = size
			return &size
		}
		select {
		case <-q.done:
			return nil
		case <-clock.RealClock{}.After(resizeEvery):
		}
	}
}
