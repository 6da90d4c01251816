// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// endTimeout is how long processes may take to vanish after SIGKILL.
const endTimeout = 20 * time.Second

// runDown implements `down`. Every step works on what it finds, so that it can
// be repeated after having been killed and cleans up after a half-finished up.
func runDown(c cluster, args []string) error {
	if err := parseFlags(newFlags("down"), args); err != nil {
		return err
	}
	if err := requireRoot("down"); err != nil {
		return err
	}
	report := newReporter(os.Stdout, now())
	lock, err := acquireLock(c.lockFile(), os.Stdout)
	if err != nil {
		return err
	}
	groups, err := c.cgroups()
	if err == nil {
		err = c.tearDown(report, groups)
	}
	return errors.Join(err, lock.releaseWith(c.lockFile(), c.dir))
}

func (c cluster) tearDown(report *reporter, groups cgroups) error {
	if err := c.checkOwner(groups.exist()); err != nil {
		return err
	}
	if err := c.checkDir(); err != nil {
		return err
	}
	network := inode(c.netnsPath())
	t := teardown{cluster: c, groups: groups, proc: "/proc", network: network}
	if err := t.endProcesses(report); err != nil {
		return err
	}
	if err := unmountBelow(c.dir); err != nil {
		return err
	}
	if err := c.removeNetwork(); err != nil {
		return err
	}
	if err := t.leaveMachine(); err != nil {
		return err
	}
	if err := c.removeDir(); err != nil {
		return err
	}
	if left := t.leftovers(); len(left) > 0 {
		return fmt.Errorf("not everything could be removed: %s", strings.Join(left, "; "))
	}
	report.step("cluster %s is down: no process, mount, network namespace, cgroup or file of it is left", c.name)
	return nil
}

// checkDir refuses to delete a folder that is not a cluster's.
func (c cluster) checkDir() error {
	if _, err := os.Stat(c.dir); errors.Is(err, fs.ErrNotExist) || isEmptyDir(c.dir) {
		return nil
	}
	if _, err := os.Stat(c.markFile()); err != nil {
		return fmt.Errorf("%s was not made by this tool and is not deleted: check SPARKGATE_CLUSTER_DIR", c.dir)
	}
	return nil
}

// removeDir deletes the state folder, its mark last: whatever is left when
// this is interrupted can still be recognized. Nothing may be mounted in it.
func (c cluster) removeDir() error {
	mounts, err := currentMounts()
	if err != nil {
		return err
	}
	if points := mountsBelow(mounts, c.dir); len(points) > 0 {
		return fmt.Errorf("%s is still mounted: unmount it and run down again", points[0])
	}
	entries, err := os.ReadDir(c.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if path := c.path(entry.Name()); path != c.markFile() {
			if err := os.RemoveAll(path); err != nil {
				return err
			}
		}
	}
	return os.RemoveAll(c.dir)
}

// teardown ends what runs and finds what is left.
type teardown struct {
	cluster cluster
	groups  cgroups
	proc    procFS
	network uint64 // inode of the network namespace, 0 without one
}

// endProcesses kills everything in the cluster's cgroup (daemons, shims,
// containers) and then what others run in its network.
func (t teardown) endProcesses(report *reporter) error {
	pids, err := t.groups.processes()
	if err != nil {
		return err
	}
	guests, err := t.guests()
	if err != nil {
		return err
	}
	if len(pids) > 0 {
		report.step("stopping %d processes of cluster %s", len(pids), t.cluster.name)
		if err := t.killAll(t.groups.processes); err != nil {
			return err
		}
	}
	if len(guests) > 0 {
		report.step("stopping %d processes that were started in its network by exec", len(guests))
		return t.killAll(t.guests)
	}
	return nil
}

// killAll sends SIGKILL until the list is empty: a fork may have escaped the
// round before.
func (t teardown) killAll(list func() ([]int, error)) error {
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	var last error
	ended := poll(ctx, func() bool {
		pids, err := list()
		last = err
		for _, pid := range pids {
			last = errors.Join(last, signalIf(pid, syscall.SIGKILL, func(pid int) bool {
				again, err := list()
				return err == nil && slices.Contains(again, pid)
			}))
		}
		return err == nil && len(pids) == 0
	})
	if ended {
		return nil
	}
	return errors.Join(last, errors.New("processes do not end after SIGKILL: wait a moment and run down again"))
}

// guests returns the processes outside the cgroup that live in the cluster's
// network, except this one and those that started it.
func (t teardown) guests() ([]int, error) {
	if t.network == 0 {
		return nil, nil
	}
	members, err := t.groups.processes()
	if err != nil {
		return nil, err
	}
	all, err := t.proc.pids()
	if err != nil {
		return nil, err
	}
	own := t.proc.ancestors(os.Getpid())
	var guests []int
	for _, pid := range all {
		if !own[pid] && !slices.Contains(members, pid) && t.proc.namespace(pid, "net") == t.network && t.proc.running(pid) {
			guests = append(guests, pid)
		}
	}
	return guests, nil
}

// leaveMachine removes the cgroup, by which clusters know of each other, and
// if there is no other cluster puts the machine back as it was.
func (t teardown) leaveMachine() (err error) {
	host, err := acquireLock(hostLockFile, os.Stdout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, host.releaseWith(hostLockFile, hostStateFile)) }()
	if err := t.removeGroups(); err != nil {
		return err
	}
	others, err := t.groups.others()
	if err != nil || len(others) > 0 {
		return err
	}
	return restoreHost()
}

// removeGroups tries for a while: the kernel frees a cgroup some time after
// its last process.
func (t teardown) removeGroups() error {
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	var last error
	if !poll(ctx, func() bool { last = t.groups.remove(); return last == nil }) {
		return fmt.Errorf("remove cgroups: %w", last)
	}
	return nil
}

// leftovers looks at the machine and names what still belongs to the cluster.
func (t teardown) leftovers() []string {
	var left []string
	for _, h := range t.groups.all {
		if dir := filepath.Join(h.root, t.groups.name); exists(dir) {
			left = append(left, "cgroup "+dir)
		}
	}
	if guests, err := t.guests(); err != nil || len(guests) > 0 {
		left = append(left, fmt.Sprintf("processes %v in its network (%v)", guests, err))
	}
	mounts, err := currentMounts()
	if points := mountsBelow(mounts, t.cluster.dir); err != nil || len(points) > 0 {
		left = append(left, fmt.Sprintf("mounts %v (%v)", points, err))
	}
	for _, path := range []string{t.cluster.netnsPath(), t.cluster.dir} {
		if exists(path) {
			left = append(left, path)
		}
	}
	return append(left, t.strays()...)
}

// strays finds processes that name the state folder in their command line,
// wherever they run.
func (t teardown) strays() []string {
	pids, err := t.proc.pids()
	if err != nil {
		return []string{err.Error()}
	}
	own := t.proc.ancestors(os.Getpid())
	var strays []string
	for _, pid := range pids {
		content, err := os.ReadFile(t.proc.file(pid, "cmdline"))
		if err != nil || own[pid] || !t.proc.running(pid) {
			continue
		}
		program := t.proc.executable(pid)
		if strings.Contains(string(content), t.cluster.dir+"/") && (program == "allinone" || slices.Contains(kubernetesPrograms, program) || strings.HasPrefix(program, "containerd")) {
			strays = append(strays, fmt.Sprintf("process %d (%s)", pid, program))
		}
	}
	return strays
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
