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

// selectionFlags say which applications a command is about.
type selectionFlags struct {
	cluster  client.Options
	all      bool
	selector string
	queue    string
	stages   []string
}

// declare adds the flags to a command.
func (f *selectionFlags) declare(c *cobra.Command) {
	addClusterFlags(c, &f.cluster)
	flags := c.Flags()
	flags.BoolVarP(&f.all, "all-namespaces", "A", false, "those of all namespaces")
	flags.StringVarP(&f.selector, "selector", "l", "", "a label `SELECTOR`, such as team=a,tier!=test")
	flags.StringVar(&f.queue, "queue", "", "those of this queue")
	flags.StringSliceVar(&f.stages, "stage", nil, "those in one of these stages, such as Queued,Running")
	completeFlag(c, "queue", func(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return namesOf(c, &f.cluster, client.Queues)
	})
	completeFlag(c, "stage", cobra.FixedCompletions(status.StageNames(), cobra.ShellCompDirectiveNoFileComp))
}

// connect corrects the case of the stages, refuses what cannot be meant, and finds the cluster.
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

// in returns what the API server is asked for.
func (f *selectionFlags) in(c *client.Cluster) client.Selection {
	if f.all {
		return client.Selection{Labels: f.selector}
	}
	return client.Selection{Namespace: c.Namespace, Labels: f.selector}
}

// wants reports whether an application is among those that were asked for by queue and stage.
func (f *selectionFlags) wants(a *status.Summary) bool {
	return (f.queue == "" || a.Queue == f.queue) && (len(f.stages) == 0 || slices.Contains(f.stages, a.Stage))
}

// described says in which namespace and by what applications are looked for, such as " in namespace etl with queue a".
func (f *selectionFlags) described(namespace string) string {
	text := ""
	if namespace != "" {
		text += " in namespace " + namespace
	}
	var with []string
	if f.selector != "" {
		with = append(with, "labels "+f.selector)
	}
	if f.queue != "" {
		with = append(with, "queue "+f.queue)
	}
	if len(f.stages) > 0 {
		with = append(with, "stage "+strings.Join(f.stages, " or "))
	}
	if len(with) > 0 {
		text += " with " + strings.Join(with, " and ")
	}
	return text
}
