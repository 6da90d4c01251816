// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// ensureNetwork creates the network namespace with its bridge, or completes
// one that an earlier call left half made. Each step is harmless to repeat.
//
// The loopback device's alias names the state folder: with it a second
// cluster of the same name is distinguished.
func (c cluster) ensureNetwork() error {
	if inode(c.netnsPath()) == 0 || !isNamespaceFile(c.netnsPath()) {
		_ = os.Remove(c.netnsPath()) // left by a reboot or by a kill between creation and mount
		if err := ip("netns", "add", c.name); err != nil {
			return err
		}
	}
	if !c.hasDevice("br0") {
		if err := c.ip("link", "add", "br0", "type", "bridge"); err != nil {
			return err
		}
	}
	for _, step := range [][]string{
		{"link", "set", "dev", "lo", "alias", c.dir, "up"},
		{"address", "replace", bridgeCIDR, "dev", "br0"},
		{"link", "set", "dev", "br0", "up"},
		{"route", "replace", "default", "dev", "br0"},
	} {
		if err := c.ip(step...); err != nil {
			return err
		}
	}
	return nil
}

// isNamespaceFile says whether a namespace is mounted at the path; without
// one it is a plain empty file.
func isNamespaceFile(path string) bool {
	const nsfsMagic = 0x6e736673
	var stat syscall.Statfs_t
	return syscall.Statfs(path, &stat) == nil && stat.Type == nsfsMagic
}

func (c cluster) hasDevice(name string) bool { return c.ip("link", "show", "dev", name) == nil }

// networkOwner returns the state folder recorded in the namespace; empty when
// there is no namespace or its creation was interrupted.
func (c cluster) networkOwner() string {
	output, err := exec.Command("ip", "-netns", c.name, "link", "show", "dev", "lo").Output()
	if err != nil {
		return ""
	}
	return linkAlias(string(output))
}

// linkAlias finds the alias in the output of `ip link show`.
func linkAlias(output string) string {
	for line := range strings.Lines(output) {
		if alias, ok := strings.CutPrefix(strings.TrimSpace(line), "alias "); ok {
			return alias
		}
	}
	return ""
}

// checkOwner refuses to touch a network namespace of another program. cgroup
// says whether the cluster's cgroup exists; it is created before the namespace
// and removed after it, so a namespace without it is not ours.
func (c cluster) checkOwner(cgroup bool) error {
	if !isNamespaceFile(c.netnsPath()) {
		return nil
	}
	owner := c.networkOwner()
	switch {
	case owner == c.dir, owner == "" && cgroup:
		return nil
	case owner == "":
		return fmt.Errorf("a network namespace %s exists that is not of this tool: remove it with `ip netns delete %s` or choose another name with SPARKGATE_CLUSTER_NAME", c.name, c.name)
	}
	return fmt.Errorf("the name %s is taken by the cluster in %s: set SPARKGATE_CLUSTER_DIR=%s to mean that one, or SPARKGATE_CLUSTER_NAME for another", c.name, owner, owner)
}

// removeNetwork deletes the namespace; its devices go with it.
func (c cluster) removeNetwork() error {
	if _, err := os.Lstat(c.netnsPath()); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if !isNamespaceFile(c.netnsPath()) {
		return os.Remove(c.netnsPath())
	}
	return ip("netns", "delete", c.name)
}

// enableForwarding must run inside the namespace: pods reach the node and
// each other over routes.
func enableForwarding() error {
	return os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0)
}

// enter replaces this process by the command, run inside the network
// namespace. `ip netns exec` would not do: it mounts a new /sys, in which the
// kubelet finds no cgroups.
func (c cluster) enter(env []string, command ...string) error {
	nsenter, err := exec.LookPath("nsenter")
	if err != nil {
		return missingTool("nsenter")
	}
	argv := append([]string{"nsenter", "--net=" + c.netnsPath(), "--"}, command...)
	return fmt.Errorf("run %s: %w", command[0], syscall.Exec(nsenter, argv, env))
}

// inside says whether this process is in the cluster's network namespace.
func (c cluster) inside() bool {
	return inode("/proc/self/ns/net") == inode(c.netnsPath())
}

func (c cluster) ip(args ...string) error {
	return ip(append([]string{"-netns", c.name}, args...)...)
}

func ip(args ...string) error {
	output, err := exec.Command("ip", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(output)))
	}
	return nil
}
