// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/tools/client"
)

// ScopeFlags select objects by namespace and labels.
type ScopeFlags struct {
	Cluster  client.Options
	All      bool
	selector string
}

// Declare adds the flags to a command.
func (f *ScopeFlags) Declare(c *cobra.Command) {
	AddClusterFlags(c, &f.Cluster)
	c.Flags().BoolVarP(&f.All, "all-namespaces", "A", false, "in all namespaces")
	c.Flags().StringVarP(&f.selector, "selector", "l", "", "a label `SELECTOR`, such as team=a,tier!=test")
}

// Selection returns the selection for the API server.
func (f *ScopeFlags) Selection(c *client.Cluster) client.Selection {
	if f.All {
		return client.Selection{Labels: f.selector}
	}
	return client.Selection{Namespace: c.Namespace, Labels: f.selector}
}

// Described returns the selection as text, such as " in namespace etl with queue a". further has more conditions.
func (f *ScopeFlags) Described(namespace string, further ...string) string {
	text := ""
	if namespace != "" {
		text += " in namespace " + namespace
	}
	if f.selector != "" {
		further = slices.Insert(further, 0, "labels "+f.selector)
	}
	if len(further) > 0 {
		text += " with " + strings.Join(further, " and ")
	}
	return text
}

// SelectionFlags select applications.
type SelectionFlags struct {
	ScopeFlags
	queue  string
	Stages []string
}

// Declare adds the flags to a command.
func (f *SelectionFlags) Declare(c *cobra.Command) {
	f.ScopeFlags.Declare(c)
	flags := c.Flags()
	flags.StringVar(&f.queue, "queue", "", "only those of this queue")
	flags.StringSliceVar(&f.Stages, "stage", nil, "only those in one of these stages, such as Queued,Running")
	CompleteFlag(c, "queue", func(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return NamesOf(c, &f.Cluster, client.Queues)
	})
	CompleteFlag(c, "stage", cobra.FixedCompletions(status.StageNames(), cobra.ShellCompDirectiveNoFileComp))
}

// Selects reports whether a flag selects some of the applications.
func (f *SelectionFlags) Selects() bool {
	return f.selector != "" || f.queue != "" || len(f.Stages) > 0
}

// Connect validates the stages, corrects their case, and connects to the cluster.
func (f *SelectionFlags) Connect() (*client.Cluster, error) {
	known := status.StageNames()
	for i, stage := range f.Stages {
		at := slices.IndexFunc(known, func(name string) bool { return strings.EqualFold(name, stage) })
		if at < 0 {
			return nil, UsageErrorf("--stage: unknown stage %q%s; stages are %s", stage, DidYouMean(stage, known), strings.Join(known, ", "))
		}
		f.Stages[i] = known[at]
	}
	return client.Connect(f.Cluster)
}

// Wants reports whether an application has the selected queue and stage.
func (f *SelectionFlags) Wants(a *status.Summary) bool {
	return (f.queue == "" || a.Queue == f.queue) && (len(f.Stages) == 0 || slices.Contains(f.Stages, a.Stage))
}

// Described returns ScopeFlags.Described with the queue and the stages.
func (f *SelectionFlags) Described(namespace string) string {
	var further []string
	if f.queue != "" {
		further = append(further, "queue "+f.queue)
	}
	if len(f.Stages) > 0 {
		further = append(further, "stage "+strings.Join(f.Stages, " or "))
	}
	return f.ScopeFlags.Described(namespace, further...)
}
