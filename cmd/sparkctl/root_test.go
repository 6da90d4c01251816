// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
)

// commandsBelow returns all commands that can be run.
func commandsBelow(c *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, child := range c.Commands() {
		if child.Name() == "completion" {
			continue // cobra's own
		}
		if child.HasSubCommands() {
			all = append(all, commandsBelow(child)...)
			continue
		}
		all = append(all, child)
	}
	return all
}

// calls returns the arguments of each call of sparkctl in an example. Lines that end with a backslash are joined. Pipes
// and redirections end a call.
func calls(example, program string) [][]string {
	var all [][]string
	for line := range strings.Lines(strings.ReplaceAll(example, "\\\n", " ")) {
		for part := range strings.SplitSeq(line, "|") {
			call, found := strings.CutPrefix(strings.TrimSpace(part), program+" ")
			if !found {
				continue
			}
			call, _, _ = strings.Cut(call, " > ")
			call, _, _ = strings.Cut(call, "  #")
			all = append(all, strings.Fields(call))
		}
	}
	return all
}

// TestExamples: each command has examples, and each example is a valid call of that command with existing flags.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"sparkctl", "kubectl spark"} {
		newTree := func() *cobra.Command {
			return newRoot(strings.ReplaceAll(program, " ", "-"), cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
		}
		for _, c := range commandsBelow(newTree()) {
			found := calls(c.Example, program)
			if len(found) == 0 {
				t.Errorf("%s has no example", c.CommandPath())
			}
			for _, args := range found {
				called, rest, err := newTree().Find(args)
				if err != nil || called.CommandPath() != c.CommandPath() {
					t.Errorf("example %q of %s calls %v: %v", args, c.CommandPath(), called, err)
					continue
				}
				if err := called.ParseFlags(rest); err != nil {
					t.Errorf("example %q of %s: %v", args, c.CommandPath(), err)
				}
				if err := called.ValidateArgs(called.Flags().Args()); err != nil {
					t.Errorf("example %q of %s: %v", args, c.CommandPath(), err)
				}
			}
		}
	}
}

// TestPluginOfKubectl: if the program is called kubectl-spark, usage, examples and errors name kubectl spark.
func TestPluginOfKubectl(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]string{"/usr/bin/kubectl-spark": "kubectl spark", "kubectl-spark.exe": "kubectl spark", "/opt/sparkctl": "sparkctl"} {
		var out, problem strings.Builder
		s := cli.Streams{In: strings.NewReader(""), Out: &out, Err: &problem}
		if code := runAs(program, []string{"lint", "--help"}, s); code != 0 || !strings.Contains(out.String(), "\n  "+want+" lint FILE...") || !strings.Contains(out.String(), "\n  "+want+" lint apps/") {
			t.Errorf("%s: exit code %d, help:\n%s", program, code, out.String())
		}
		if code := runAs(program, []string{"lint"}, s); code != cli.ExitUsage || !strings.HasPrefix(problem.String(), want+" lint: name files") {
			t.Errorf("%s: exit code %d, error %q", program, code, problem.String())
		}
	}
}

// TestFlagsOfKubectl: every command that talks to a cluster has kubectl's flags for it.
func TestFlagsOfKubectl(t *testing.T) {
	t.Parallel()
	clusters := 0
	for _, c := range commandsBelow(newRoot("sparkctl", cli.Streams{})) {
		if c.Flags().Lookup("kubeconfig") == nil {
			continue
		}
		clusters++
		for _, name := range []string{
			"context", "namespace", "cluster", "user", "server", "token", "as", "as-group", "as-uid", "certificate-authority", "client-certificate",
			"client-key", "insecure-skip-tls-verify", "tls-server-name", "request-timeout",
		} {
			if c.Flags().Lookup(name) == nil {
				t.Errorf("%s has no flag --%s", c.CommandPath(), name)
			}
		}
		if c.Flags().ShorthandLookup("n") == nil || c.Flags().ShorthandLookup("s") == nil {
			t.Errorf("%s has no -n or -s", c.CommandPath())
		}
	}
	if clusters < 3 {
		t.Errorf("%d commands talk to a cluster", clusters)
	}
}

// TestNamesOfOtherTools: the name of a command of kubectl, argo or kubeflow's sparkctl leads to one command here.
func TestNamesOfOtherTools(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"create": "submit", "status": "get", "forward": "ui", "stop": "suspend", "retry": "rerun", "Describe": "get", "lst": "list"} {
		if code, _, problem := call("", word); code != cli.ExitUsage || !strings.Contains(problem, `"`+word+`": did you mean `+want+"?") {
			t.Errorf("%s: exit code %d, %q", word, code, problem)
		}
	}
	taken := map[string]string{}
	for _, c := range newRoot("sparkctl", cli.Streams{}).Commands() {
		for _, word := range append(append([]string{c.Name()}, c.Aliases...), c.SuggestFor...) {
			if taken[word] != "" {
				t.Errorf("%s stands for %s and %s", word, taken[word], c.Name())
			}
			taken[word] = c.Name()
		}
	}
}

// names returns a list of objects without specs.
func names(all ...string) []reply {
	list := metav1.PartialObjectMetadataList{}
	for _, name := range all {
		list.Items = append(list.Items, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	return []reply{{http.StatusOK, list}}
}

// TestCompletion: names are completed from the cluster, and values from the known ones. Without a cluster there are no
// names, and no error.
func TestCompletion(t *testing.T) {
	t.Parallel()
	_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
		apis + "namespaces/spark/sparkapplications":          names("etl", "pi"),
		apis + "namespaces/etl/sparkapplications":            names("daily"),
		apis + "namespaces/spark/scheduledsparkapplications": names("nightly"),
		apis + "sparkqueues":                                 names("root", "team-a"),
		"GET /api/v1/namespaces":                             names("spark", "etl"),
	})
	for line, want := range map[string]string{
		"explain ":               "etl pi",
		"explain -n etl ":        "daily",
		"explain queue ":         "root team-a",
		"explain queue root ":    "",
		"explain pi -n ":         "spark etl",
		"explain pi --context ":  "test",
		"explain pi -o ":         "text json yaml",
		"schedule next ":         "nightly",
		"schedule next nightly ": "",
		"explain -n nowhere ":    "",
		"help schedule ":         "list next resume run suspend",
		"schedule run ":          "nightly",
		"sched":                  "schedule",
	} {
		args := strings.Split(line, " ")
		if first := args[0]; first == "explain" || first == "schedule" {
			args = slices.Insert(args, 1, "--kubeconfig="+kubeconfig)
			if first == "schedule" {
				args[1], args[2] = args[2], args[1]
			}
		}
		_, out, _ := call("", append([]string{cobra.ShellCompNoDescRequestCmd}, args...)...)
		var got []string
		for line := range strings.Lines(out) {
			if !strings.HasPrefix(line, ":") {
				name, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q completes to %q, want %q", args, got, want)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if code, out, problem := call("", "completion", shell); code != 0 || !strings.Contains(out, "__complete") {
			t.Errorf("completion for %s: exit code %d, %s", shell, code, problem)
		}
	}
}
