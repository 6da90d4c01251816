// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// runExec implements `exec -- COMMAND...`: this process becomes the command,
// with its terminal, signals and exit status.
func runExec(c cluster, args []string) error {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return errors.New("exec needs a command: run `localcluster exec -- COMMAND...`")
	}
	if err := c.requireUp("exec"); err != nil {
		return err
	}
	env, err := c.commandEnv()
	if err != nil {
		return err
	}
	if _, err := exec.LookPath(args[0]); err != nil {
		return fmt.Errorf("exec: %w", err)
	}
	return c.enter(env, args...)
}

// runKubectl implements `kubectl ARGUMENT...`.
func runKubectl(c cluster, args []string) error {
	if err := c.requireUp("kubectl"); err != nil {
		return err
	}
	record, err := c.readRecord()
	if err != nil {
		return err
	}
	if listens(args) {
		return c.connect(append([]string{record.built().binary(), "kubectl"}, args...)...)
	}
	env, err := c.commandEnv()
	if err != nil {
		return err
	}
	return c.enter(env, append([]string{record.built().binary(), "kubectl"}, args...)...)
}

// listens reports whether kubectl may open a port for the user, who is outside
// the cluster's network.
func listens(args []string) bool {
	return slices.Contains(args, "port-forward") || slices.Contains(args, "proxy")
}

// runKubeconfig implements `kubeconfig`.
func runKubeconfig(c cluster, args []string) error {
	if err := parseFlags(newFlags("kubeconfig"), args); err != nil {
		return err
	}
	if !exists(c.kubeconfig()) {
		return c.notUp()
	}
	fmt.Println(c.kubeconfig())
	return nil
}

func (c cluster) requireUp(command string) error {
	if err := requireRoot(command); err != nil {
		return err
	}
	if !isNamespaceFile(c.netnsPath()) || !exists(c.kubeconfig()) {
		return c.notUp()
	}
	return nil
}

// commandEnv is the environment of commands in the cluster's network: they
// talk to this cluster and find kubectl.
func (c cluster) commandEnv() ([]string, error) {
	record, err := c.readRecord()
	if err != nil {
		return nil, err
	}
	return withVariables(os.Environ(), map[string]string{
		"KUBECONFIG": c.kubeconfig(),
		// What kubectl remembers about an API server must not outlive it: the
		// next cluster has the same address.
		"KUBECACHEDIR": c.path("kubectl-cache"),
		"PATH":         os.Getenv("PATH") + ":" + record.built().assets(),
	}), nil
}

// withVariables sets variables in a copy of an environment.
func withVariables(env []string, variables map[string]string) []string {
	result := slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		_, replaced := variables[name]
		return replaced
	})
	for _, name := range sortedKeys(variables) {
		result = append(result, name+"="+variables[name])
	}
	return result
}
