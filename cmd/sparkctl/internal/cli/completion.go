// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/internal/tools/client"
)

// completionTime bounds the requests of a completion, because the shell waits for it.
const completionTime = 2 * time.Second

// AddClusterFlags adds the flags that select the cluster and the namespace, with their completion.
func AddClusterFlags(c *cobra.Command, o *client.Options) {
	o.Command = c.Name()
	o.AddFlags(c.Flags())
	CompleteFlag(c, "context", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return o.Contexts(), cobra.ShellCompDirectiveNoFileComp
	})
	CompleteFlag(c, "namespace", func(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return NamesOf(c, o, client.Namespaces)
	})
}

// oneOf is the value of a flag that accepts only the listed words.
type oneOf struct {
	into   *string
	values []string
}

func (o oneOf) String() string { return *o.into }
func (o oneOf) Type() string   { return "string" }

// Set returns an error for a word that is not listed.
func (o oneOf) Set(value string) error {
	if !slices.ContainsFunc(o.values, func(known string) bool {
		if strings.HasSuffix(known, "=") { // an expression follows
			return strings.HasPrefix(value, known) && value != known
		}
		return value == known
	}) {
		return fmt.Errorf("set it to %s", Alternatives(o.values))
	}
	*o.into = value
	return nil
}

// Alternatives returns a text such as "json, yaml or name".
func Alternatives(values []string) string {
	last := len(values) - 1
	return strings.Join(values[:last], ", ") + " or " + values[last]
}

// AddOutputFlag adds the flag -o. The first value is the default.
func AddOutputFlag(c *cobra.Command, into *string, values ...string) {
	*into = values[0]
	flag := oneOf{into, values}
	c.Flags().VarP(flag, "output", "o", Alternatives(values))
	CompleteFlag(c, "output", cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// CompleteFlag completes the values of a flag.
func CompleteFlag(c *cobra.Command, name string, values cobra.CompletionFunc) {
	_ = c.RegisterFlagCompletionFunc(name, values) // it fails only if the flag does not exist
}

// OneName completes the argument of a command that takes one name.
func OneName(o *client.Options, kind client.Kind) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return NamesOf(c, o, kind)
	}
}

// NamesOf returns the names of the objects of a kind for a completion. It returns none if the cluster does not answer
// in time.
func NamesOf(c *cobra.Command, o *client.Options, kind client.Kind) ([]cobra.Completion, cobra.ShellCompDirective) {
	cluster, err := client.Connect(*o)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	parent := c.Context()
	if parent == nil {
		parent = context.Background()
	}
	ctx, cancel := context.WithTimeout(parent, completionTime)
	defer cancel()
	names, err := cluster.Names(ctx, kind)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
