// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package applications

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

const eventsText = `Prints the events of the application NAME and of its pods, oldest first. Kubernetes keeps events for an hour.`

// eventsFlags are the flags of events.
type eventsFlags struct {
	cluster client.Options
	output  string
}

// newEvents returns the command "sparkctl events".
func newEvents(s cli.Streams) *cobra.Command {
	var f eventsFlags
	c := aboutApplication(&cobra.Command{
		Use: "events NAME", Short: "Print the events of an application and of its pods", Long: eventsText,
		Example: "  sparkctl events pi\n  sparkctl events pi -o json",
	}, &f.cluster, func(ctx context.Context, name string) error { return f.run(ctx, name, s) })
	cli.AddOutputFlag(c, &f.output, "table", "json", "yaml")
	return c
}

func (f *eventsFlags) run(ctx context.Context, name string, s cli.Streams) error {
	c, app, err := connectTo(ctx, f.cluster, name)
	if err != nil {
		return err
	}
	events, err := c.EventsOf(ctx, app)
	switch {
	case err != nil:
		return err
	case f.output != "table":
		return cli.WriteItems(s.Out, f.output, events)
	case len(events) == 0:
		_, err := fmt.Fprintf(s.Err, "No events of %s found in namespace %s.\n", name, app.Namespace)
		return err
	}
	now := s.Clock.Now()
	rows := make([]printer.Event, 0, len(events))
	for i := range events {
		e := &events[i]
		rows = append(rows, printer.Event{
			Age: now.Sub(client.LastSeen(e)), Type: e.Type, Reason: e.Reason, Object: e.InvolvedObject.Kind + "/" + e.InvolvedObject.Name, Message: e.Message,
		})
	}
	return printer.WriteEvents(s.Out, rows, s.Width())
}
