// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// daemonsGroup is the leaf below the cluster's cgroup that holds what is not
// a pod. (In cgroup v2 only leaves may hold processes.)
const daemonsGroup = "daemons"

// hierarchy is a mounted cgroup tree.
type hierarchy struct {
	root        string
	unified     bool     // cgroup v2
	controllers []string // v1: the mount's options, e.g. pids or name=systemd
}

// cgroupHierarchies picks the cgroup mounts, v1 before v2.
func cgroupHierarchies(mounts []mount) []hierarchy {
	var v1, v2 []hierarchy
	for _, m := range mounts {
		switch m.FSType {
		case "cgroup":
			v1 = append(v1, hierarchy{root: m.Point, controllers: m.Options})
		case "cgroup2":
			v2 = append(v2, hierarchy{root: m.Point, unified: true})
		}
	}
	return append(v1, v2...)
}

// trackingHierarchy is the one tree in which daemons are placed. Pods are in
// every tree with controllers, so it holds all processes of the cluster. A v2
// tree beside v1 trees (the "hybrid" layout) has no controllers.
func trackingHierarchy(all []hierarchy) (hierarchy, error) {
	for _, wanted := range []string{"pids", "memory"} {
		for _, h := range all {
			if slices.Contains(h.controllers, wanted) {
				return h, nil
			}
		}
	}
	if len(all) > 0 && all[0].unified {
		return all[0], nil
	}
	return hierarchy{}, errors.New("no cgroup hierarchy with the pids or memory controller is mounted: mount cgroup v2 at /sys/fs/cgroup")
}

// cgroups are the cluster's directories in all hierarchies.
type cgroups struct {
	all      []hierarchy
	tracking hierarchy
	name     string
}

func (c cluster) cgroups() (cgroups, error) {
	mounts, err := currentMounts()
	if err != nil {
		return cgroups{}, err
	}
	all := cgroupHierarchies(mounts)
	tracking, err := trackingHierarchy(all)
	return cgroups{all: all, tracking: tracking, name: c.name}, err
}

func (g cgroups) trackingDir() string { return filepath.Join(g.tracking.root, g.name) }
func (g cgroups) daemonsDir() string  { return filepath.Join(g.trackingDir(), daemonsGroup) }

// exist says whether this cluster's cgroup is there: the sign that it was
// started since the machine booted.
func (g cgroups) exist() bool {
	_, err := os.Stat(g.trackingDir())
	return err == nil
}

// others returns the names of the other clusters that exist.
func (g cgroups) others() ([]string, error) {
	entries, err := os.ReadDir(g.tracking.root)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if entry.IsDir() && entry.Name() != g.name && validName.MatchString(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// create makes the cluster's cgroup in every hierarchy. The kubelet wants its
// root to exist in each with the controllers it uses.
func (g cgroups) create() error {
	for _, h := range g.all {
		if h.unified {
			if err := enableControllers(h.root); err != nil {
				return err
			}
		}
		dir := filepath.Join(h.root, g.name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("create cgroup: %w (root of the machine, not of a container without cgroup access, is needed)", err)
		}
		if err := inheritCPUSet(h.root, dir); err != nil {
			return err
		}
	}
	return os.MkdirAll(g.daemonsDir(), 0o755)
}

// enableControllers hands the controllers of a v2 root down to its children.
func enableControllers(root string) error {
	available, err := os.ReadFile(filepath.Join(root, "cgroup.controllers"))
	if err != nil {
		return err
	}
	enabled, err := os.ReadFile(filepath.Join(root, "cgroup.subtree_control"))
	if err != nil {
		return err
	}
	for _, controller := range missingControllers(string(available), string(enabled)) {
		err := os.WriteFile(filepath.Join(root, "cgroup.subtree_control"), []byte("+"+controller), 0)
		if err != nil {
			return fmt.Errorf("enable cgroup controller %s: %w (processes in the root cgroup of a container block it: run on the machine itself)", controller, err)
		}
	}
	return nil
}

// missingControllers returns what the kubelet needs, is available and is not
// yet enabled.
func missingControllers(available, enabled string) []string {
	var missing []string
	for _, controller := range []string{"cpu", "cpuset", "hugetlb", "io", "memory", "pids"} {
		if slices.Contains(strings.Fields(available), controller) && !slices.Contains(strings.Fields(enabled), controller) {
			missing = append(missing, controller)
		}
	}
	return missing
}

// inheritCPUSet copies processors and memory nodes from the parent: a new v1
// cpuset is empty and takes no process.
func inheritCPUSet(parent, dir string) error {
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		own, err := os.ReadFile(filepath.Join(dir, file))
		if errors.Is(err, fs.ErrNotExist) || strings.TrimSpace(string(own)) != "" {
			continue
		}
		value, err := os.ReadFile(filepath.Join(parent, file))
		if errors.Is(err, fs.ErrNotExist) {
			continue // the root of a v2 tree has none; its children inherit
		}
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, file), value, 0); err != nil {
			return err
		}
	}
	return nil
}

// join moves this process, and so all that it will start, into the daemons'
// cgroup.
func (g cgroups) join() error {
	procs := filepath.Join(g.daemonsDir(), "cgroup.procs")
	return os.WriteFile(procs, []byte(strconv.Itoa(os.Getpid())), 0)
}

// daemons returns the processes outside pods; processes returns all.
func (g cgroups) daemons() ([]int, error)   { return pidsIn(g.daemonsDir()) }
func (g cgroups) processes() ([]int, error) { return pidsBelow(g.trackingDir()) }

func pidsBelow(root string) ([]int, error) {
	var pids []int
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a pod's cgroup went away during the walk
		}
		if err != nil || !entry.IsDir() {
			return err
		}
		more, err := pidsIn(path)
		pids = append(pids, more...)
		return err
	})
	return pids, err
}

func pidsIn(dir string) ([]int, error) {
	content, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, field := range strings.Fields(string(content)) {
		if pid, err := strconv.Atoi(field); err == nil && pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// remove deletes the cluster's cgroups in every hierarchy. They must be empty.
func (g cgroups) remove() error {
	var errs []error
	for _, h := range g.all {
		errs = append(errs, removeCgroupTree(filepath.Join(h.root, g.name)))
	}
	return errors.Join(errs...)
}

// removeCgroupTree removes the directories of a cgroup, the deepest first;
// their files cannot and need not be removed.
func removeCgroupTree(root string) error {
	var dirs []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && entry.IsDir() {
			dirs = append(dirs, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.Reverse(dirs)
	for _, dir := range dirs {
		if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
