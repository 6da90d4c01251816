// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/applications"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/install"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/offline"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/queues"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/schedules"
)

// Groups of commands, in the order in which help lists them.
const (
	groupApplications = "applications"
	groupQueues       = "queues"
	groupOffline      = "offline"
	groupOther        = "other"
)

// newRoot returns the root command. Its name is the one by which the program was called.
func newRoot(program string, s cli.Streams) *cobra.Command {
	root := &cobra.Command{
		Use: "sparkctl", Short: "Run, watch and explain Spark applications on Kubernetes",
		Long:          "sparkctl is the command-line tool of Sparkgate. It uses your kubeconfig as kubectl does.",
		Version:       install.OwnVersion(),
		SilenceErrors: true, SilenceUsage: true, DisableSuggestions: true,
	}
	if name := strings.TrimSuffix(filepath.Base(program), ".exe"); strings.HasPrefix(name, "kubectl-") {
		root.Use = name
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl " + strings.ReplaceAll(name[len("kubectl-"):], "_", "-")}
	}
	root.AddGroup(
		&cobra.Group{ID: groupApplications, Title: "Applications:"},
		&cobra.Group{ID: groupQueues, Title: "Queues and schedules:"},
		&cobra.Group{ID: groupOffline, Title: "Without a cluster:"},
		&cobra.Group{ID: groupOther, Title: "Other commands:"},
	)
	addGroup(root, groupApplications, applications.Commands(s)...)
	addGroup(root, groupQueues, append(queues.Commands(s), schedules.New(s))...)
	addGroup(root, groupOffline, offline.Commands(s)...)
	addGroup(root, groupOther, install.Commands(s)...)
	root.SetHelpCommand(newHelp())
	root.SetHelpCommandGroupID(groupOther)
	root.SetCompletionCommandGroupID(groupOther)
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.SetFlagErrorFunc(flagError)
	root.InitDefaultCompletionCmd()
	refuseOtherShells(root)
	nameExamples(root, root.DisplayName())
	return root
}

// refuseOtherShells makes the completion of an unknown shell fail. By default cobra prints its help, which a shell
// would try to execute.
func refuseOtherShells(root *cobra.Command) {
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	completion.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return cli.UsageErrorf("unknown shell %q; use bash, zsh, fish or powershell", args[0])
	}
	completion.Args = cobra.ArbitraryArgs
}

func addGroup(root *cobra.Command, group string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = group
		root.AddCommand(c)
	}
}

// nameExamples replaces sparkctl in the examples with the name by which the program was called.
func nameExamples(c *cobra.Command, name string) {
	c.Example = strings.ReplaceAll(c.Example, "sparkctl ", name+" ")
	for _, child := range c.Commands() {
		nameExamples(child, name)
	}
}

func newHelp() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Explain a command", Long: "Explains a command, as its flag --help does.",
		Example: "  sparkctl help explain",
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			asked, _, err := c.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return cli.NamesBelow(asked), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			asked, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(c.Root(), err)
			}
			asked.InitDefaultHelpFlag()
			return asked.Help()
		},
	}
}

// unknownCommand converts cobra's error into one that suggests the command that may have been meant.
func unknownCommand(root *cobra.Command, err error) error {
	var wrong string
	if _, scanErr := fmt.Sscanf(err.Error(), "unknown command %q", &wrong); scanErr != nil {
		return cli.UsageErrorf("%w", err)
	}
	question := cli.DidYouMean(wrong, cli.NamesBelow(root))
	for _, c := range root.Commands() {
		if slices.Contains(c.SuggestFor, strings.ToLower(wrong)) { // the name of such a command in other tools
			question = fmt.Sprintf(": did you mean %s?", c.Name())
		}
	}
	return cli.UsageErrorf("unknown command %q%s; %s --help lists them", wrong, question, root.CommandPath())
}

// flagError converts an error of the flags into a usageError.
func flagError(c *cobra.Command, err error) error {
	return cli.UsageErrorf("%w; see %s --help", err, c.CommandPath())
}
