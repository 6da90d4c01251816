// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/internal/client"
	"github.com/sparkgate/sparkgate/internal/status"
)

// scopeFlags select objects by namespace and labels.
type scopeFlags struct {
	cluster  client.Options
	all      bool
	selector string
}

// declare adds the flags to a command.
func (f *scopeFlags) declare(c *cobra.Command) {
	addClusterFlags(c, &f.cluster)
	c.Flags().BoolVarP(&f.all, "all-namespaces", "A", false, "in all namespaces")
	c.Flags().StringVarP(&f.selector, "selector", "l", "", "a label `SELECTOR`, such as team=a,tier!=test")
}

// in returns the selection for the API server.
func (f *scopeFlags) in(c *client.Cluster) client.Selection {
	if f.all {
		return client.Selection{Labels: f.selector}
	}
	return client.Selection{Namespace: c.Namespace, Labels: f.selector}
}

// described returns the selection as text, such as " in namespace etl with queue a". further has more conditions.
func (f *scopeFlags) described(namespace string, further ...string) string {
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

// selectionFlags select applications.
type selectionFlags struct {
	scopeFlags
	queue  string
	stages []string
}

// declare adds the flags to a command.
func (f *selectionFlags) declare(c *cobra.Command) {
	f.scopeFlags.declare(c)
	flags := c.Flags()
	flags.StringVar(&f.queue, "queue", "", "only those of this queue")
	flags.StringSliceVar(&f.stages, "stage", nil, "only those in one of these stages, such as Queued,Running")
	completeFlag(c, "queue", func(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return namesOf(c, &f.cluster, client.Queues)
	})
	completeFlag(c, "stage", cobra.FixedCompletions(status.StageNames(), cobra.ShellCompDirectiveNoFileComp))
}

// connect validates the stages, corrects their case, and connects to the cluster.
func (f *selectionFlags) connect() (*client.Cluster, error) {
	known := status.StageNames()
	for i, stage := range f.stages {
		at := slices.IndexFunc(known, func(name string) bool { return strings.EqualFold(name, stage) })
		if at < 0 {
			return nil, usageError{fmt.Errorf("--stage: there is no stage %q%s; stages are %s", stage, didYouMean(stage, known), strings.Join(known, ", "))}
		}
		f.stages[i] = known[at]
	}
	return client.Connect(f.cluster)
}

// wants reports whether an application has the selected queue and stage.
func (f *selectionFlags) wants(a *status.Summary) bool {
	return (f.queue == "" || a.Queue == f.queue) && (len(f.stages) == 0 || slices.Contains(f.stages, a.Stage))
}

// described returns scopeFlags.described with the queue and the stages.
func (f *selectionFlags) described(namespace string) string {
	var further []string
	if f.queue != "" {
		further = append(further, "queue "+f.queue)
	}
	if len(f.stages) > 0 {
		further = append(further, "stage "+strings.Join(f.stages, " or "))
	}
	return f.scopeFlags.described(namespace, further...)
}
