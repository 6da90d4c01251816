// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// privateDirs are folders of the machine that containerd, the CNI library and
// the kubelet use whatever their configuration says. The node sees its own in
// their place, so that a container runtime of the machine is not disturbed
// and nothing is left in them.
var privateDirs = []string{"/run/containerd", "/var/lib/cni", "/var/lib/kubelet", "/var/log/containers"}

// kubeletSysctls are the kernel settings that the kubelet changes at its
// start.
var kubeletSysctls = []string{
	"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops",
	"kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes",
}

// hostState is what the machine was like before its first cluster: what the
// down of the last is to put back. It is written before anything is changed.
type hostState struct {
	NetnsDirMounted bool              `json:"netnsDirMounted"`
	CreatedDirs     []string          `json:"createdDirs"` // parents first
	Sysctls         map[string]string `json:"sysctls"`
}

// hostStateFile is one for all clusters of the machine, hostLockFile guards it
// and the question whether other clusters exist.
const (
	hostStateFile = defaultDir + ".host.json"
	hostLockFile  = defaultDir + ".host.lock"
)

// prepareHost notes the machine's state, unless that has been done, and
// creates the mount points that a node needs.
func prepareHost() error {
	if !exists(hostStateFile) {
		state, err := observeHost()
		if err != nil {
			return err
		}
		if err := writeJSON(hostStateFile, state); err != nil {
			return err
		}
	}
	for _, dir := range privateDirs {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// restoreHost undoes prepareHost and the kubelet's changes. Other clusters
// must not exist: removing a folder takes away what their nodes have mounted
// on it.
func restoreHost() error {
	var state hostState
	content, err := os.ReadFile(hostStateFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, &state); err != nil {
		return fmt.Errorf("read %s: %w", hostStateFile, err)
	}
	if err := state.restore(); err != nil {
		return err
	}
	return os.Remove(hostStateFile)
}

func observeHost() (hostState, error) {
	mounts, err := currentMounts()
	if err != nil {
		return hostState{}, err
	}
	state := hostState{
		NetnsDirMounted: slices.ContainsFunc(mounts, func(m mount) bool { return m.Point == "/run/netns" }),
		Sysctls:         map[string]string{},
	}
	for _, dir := range append([]string{"/run/netns"}, privateDirs...) {
		state.CreatedDirs = append(state.CreatedDirs, missingDirs(dir)...)
	}
	for _, name := range kubeletSysctls {
		if value, err := os.ReadFile(filepath.Join("/proc/sys", name)); err == nil {
			state.Sysctls[name] = strings.TrimSpace(string(value))
		}
	}
	return state, nil
}

// missingDirs returns dir and those of its parents that do not exist, parents
// first.
func missingDirs(dir string) []string {
	var missing []string
	for ; dir != "/"; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil {
			break
		}
		missing = append(missing, dir)
	}
	slices.Reverse(missing)
	return missing
}

// restore puts the machine back as it was. Folders that others have come to
// use stay.
func (s hostState) restore() error {
	var errs []error
	for name, value := range s.Sysctls {
		file := filepath.Join("/proc/sys", name)
		if now, err := os.ReadFile(file); err == nil && strings.TrimSpace(string(now)) != value {
			errs = append(errs, os.WriteFile(file, []byte(value), 0))
		}
	}
	if !s.NetnsDirMounted && isEmptyDir("/run/netns") {
		errs = append(errs, unmountBelow("/run/netns"))
	}
	for _, dir := range slices.Backward(s.CreatedDirs) {
		if isEmptyDir(dir) {
			errs = append(errs, os.Remove(dir))
		}
	}
	return errors.Join(errs...)
}

func isEmptyDir(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) == 0
}

// writeJSON replaces the file at once: a reader sees the old or the new
// content.
func writeJSON(path string, value any) error {
	content, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(path, append(content, '\n'))
}

// writeFile replaces the file by one that only root can read, at once.
func writeFile(path string, content []byte) error {
	temporary := path + ".tmp"
	if err := os.WriteFile(temporary, content, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}
