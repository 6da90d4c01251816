// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/live"
	"github.com/sparkgate/sparkgate/internal/client"
)

const watchText = `Shows SparkApplications while they change, until Ctrl-C: in a terminal as a table, those that have not ended first;
otherwise as one line for each change of a stage or its message, with the time in UTC. It outlives outages of the API
server, and says so while there is one.`

// newWatch returns sparkctl watch.
func newWatch(s streams) *cobra.Command {
	var f selectionFlags
	c := &cobra.Command{
		Use: "watch", Short: "Show applications while they change", Long: watchText, Args: noArguments,
		Example: "  sparkctl watch\n  sparkctl watch -A --stage Queued,Preempted\n  sparkctl watch -n etl -l team=a | tee changes.log",
		RunE:    func(c *cobra.Command, _ []string) error { return watch(c.Context(), &f, s) },
	}
	f.declare(c)
	return c
}

// watch shows applications until it is interrupted.
func watch(ctx context.Context, f *selectionFlags, s streams) error {
	c, err := f.connect()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if s.size == nil {
		return watchChanges(ctx, c, f, s)
	}
	return watchScreen(ctx, c, f, s)
}

// watchChanges writes lines.
func watchChanges(ctx context.Context, c *client.Cluster, f *selectionFlags, s streams) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	changes := &live.Changes{Out: s.out, Notes: s.err, Wants: f.wants, Clock: clock.RealClock{}, Broken: cancel}
	return client.Watch[v1alpha1.SparkApplication](ctx, c, client.Applications, f.in(c), changes)
}

// watchScreen draws on the terminal. An error is printed after the terminal is as it was.
func watchScreen(ctx context.Context, c *client.Cluster, f *selectionFlags, s streams) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	board := live.NewBoard(f.wants)
	ended := make(chan error, 1)
	go func() {
		defer cancel()
		ended <- client.Watch[v1alpha1.SparkApplication](ctx, c, client.Applications, f.in(c), board)
	}()
	screen := &live.Screen{Out: s.raw, Board: board, Clock: clock.RealClock{}, Frame: func() live.Frame {
		width, height := s.size()
		return live.Frame{
			Title: "SparkApplications" + f.described(f.in(c).Namespace), Namespaces: f.all, Width: width, Height: height,
			Clean: clean, Color: os.Getenv("NO_COLOR") == "",
		}
	}}
	err := screen.Run(ctx)
	cancel()
	if watchErr := <-ended; watchErr != nil {
		return watchErr
	}
	return err
}

// clean returns a text without control characters.
func clean(text string) string {
	var out strings.Builder
	_, _ = terminal{&out}.Write([]byte(text)) // a strings.Builder takes everything
	return out.String()
}
