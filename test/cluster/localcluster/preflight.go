// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// requirement is a program, or a file, and the Debian package that brings it.
type requirement struct {
	name string   // looked up in PATH, or in folders if there are any
	dirs []string // alternatives to PATH
	deb  string
}

// CNI plugins lie in /usr/lib/cni on Debian and in /opt/cni/bin elsewhere.
var cniDirs = []string{"/usr/lib/cni", "/opt/cni/bin", "/usr/libexec/cni"}

var requirements = []requirement{
	{name: "containerd", deb: "containerd"},
	{name: "containerd-shim-runc-v2", deb: "containerd"},
	{name: "ctr", deb: "containerd"},
	{name: "runc", deb: "runc"},
	{name: "ptp", dirs: cniDirs, deb: "containernetworking-plugins"},
	{name: "host-local", dirs: cniDirs, deb: "containernetworking-plugins"},
	{name: "loopback", dirs: cniDirs, deb: "containernetworking-plugins"},
	{name: "nft", deb: "nftables"},
	{name: "ip", deb: "iproute2"},
	{name: "nsenter", deb: "util-linux"},
	{name: "unshare", deb: "util-linux"},
	{name: "mount", deb: "mount"},
}

func (r requirement) present() bool { return r.find() != "" }

func (r requirement) find() string {
	if len(r.dirs) == 0 {
		path, err := exec.LookPath(r.name)
		if err != nil {
			return ""
		}
		return path
	}
	for _, dir := range r.dirs {
		if info, err := os.Stat(filepath.Join(dir, r.name)); err == nil && !info.IsDir() {
			return filepath.Join(dir, r.name)
		}
	}
	return ""
}

// missingPackages returns the Debian packages of the requirements that are
// not present, each once.
func missingPackages(all []requirement) []string {
	var debs []string
	for _, r := range all {
		if !r.present() && !slices.Contains(debs, r.deb) {
			debs = append(debs, r.deb)
		}
	}
	return debs
}

// cniPluginDir returns the folder with the plugins that the cluster uses.
func cniPluginDir() string {
	for _, r := range requirements {
		if r.name == "ptp" {
			return filepath.Dir(r.find())
		}
	}
	return ""
}

func requireRoot(command string) error {
	if os.Geteuid() != 0 {
		return fmt.Errorf("%s needs root: run it as root or with sudo", command)
	}
	return nil
}

func requireTools() error {
	if missing := missingPackages(requirements); len(missing) > 0 {
		return fmt.Errorf("missing Debian packages %s: run `localcluster install`", strings.Join(missing, " "))
	}
	return nil
}

func missingTool(name string) error {
	return fmt.Errorf("%s is not in PATH: run `localcluster install`", name)
}

// requireDisk checks the free space of the filesystem on which dir is or will
// be.
func requireDisk(dir string, bytes uint64, purpose string) error {
	for ; dir != "/"; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			break
		}
	}
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return fmt.Errorf("free space of %s: %w", dir, err)
	}
	free := stat.Bavail * uint64(stat.Bsize)
	if free < bytes {
		return fmt.Errorf("%.1f GiB free below %s, %d GiB are needed to %s: free some space", float64(free)/(1<<30), dir, bytes>>30, purpose)
	}
	return nil
}

// searchPath adds the folders of system programs and of Go's own installer,
// which a user's or sudo's PATH may lack.
func searchPath(path string) string {
	for _, dir := range []string{"/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/go/bin"} {
		if !slices.Contains(filepath.SplitList(path), dir) {
			path += ":" + dir
		}
	}
	return strings.TrimPrefix(path, ":")
}
