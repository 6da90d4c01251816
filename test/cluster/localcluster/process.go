// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Each daemon carries two marks in its environment: which component it is, and
// a digest of how it was started. Together with its cgroup and with being a
// session leader (children of a daemon inherit its environment) they are its
// identity.
const (
	componentMark = "SPARKGATE_COMPONENT"
	digestMark    = "SPARKGATE_COMPONENT_DIGEST"
)

// procFS reads /proc, or a copy of its layout in tests.
type procFS string

// procStat is the part of /proc/PID/stat that is used.
type procStat struct {
	state      byte
	parent     int
	session    int
	startTicks uint64 // after boot, in 1/100 s
	residentKB uint64
}

// parseStat reads a stat line; the command name in parentheses may itself
// hold spaces and parentheses.
func parseStat(line string) (procStat, error) {
	end := strings.LastIndexByte(line, ')')
	if end < 0 {
		return procStat{}, fmt.Errorf("no command name in %q", line)
	}
	fields := strings.Fields(line[end+1:]) // fields[0] is field 3 of proc(5)
	if len(fields) < 22 {
		return procStat{}, fmt.Errorf("only %d fields in %q", len(fields), line)
	}
	parent, err1 := strconv.Atoi(fields[1])
	session, err2 := strconv.Atoi(fields[3])
	start, err3 := strconv.ParseUint(fields[19], 10, 64)
	pages, err4 := strconv.ParseUint(fields[21], 10, 64)
	stat := procStat{
		state: fields[0][0], parent: parent, session: session,
		startTicks: start, residentKB: pages * uint64(os.Getpagesize()) / 1024,
	}
	return stat, errors.Join(err1, err2, err3, err4)
}

func (p procFS) file(pid int, name string) string {
	return filepath.Join(string(p), strconv.Itoa(pid), name)
}

func (p procFS) stat(pid int) (procStat, error) {
	content, err := os.ReadFile(p.file(pid, "stat"))
	if err != nil {
		return procStat{}, err
	}
	return parseStat(string(content))
}

// running says whether the process exists and is not a zombie.
func (p procFS) running(pid int) bool {
	stat, err := p.stat(pid)
	return err == nil && stat.state != 'Z' && stat.state != 'X'
}

// environ returns the value of a variable in the environment with which the
// process was started.
func (p procFS) environ(pid int, name string) string {
	content, err := os.ReadFile(p.file(pid, "environ"))
	if err != nil {
		return ""
	}
	for entry := range strings.SplitSeq(string(content), "\x00") {
		if key, value, ok := strings.Cut(entry, "="); ok && key == name {
			return value
		}
	}
	return ""
}

// executable returns the base name of the program that runs now, also when
// its file has been deleted since.
func (p procFS) executable(pid int) string {
	target, err := os.Readlink(p.file(pid, "exe"))
	if err != nil {
		return ""
	}
	return filepath.Base(strings.TrimSuffix(target, " (deleted)"))
}

// namespace returns the inode number of a namespace of the process ("net",
// "mnt"), 0 if it cannot be read.
func (p procFS) namespace(pid int, kind string) uint64 {
	return inode(p.file(pid, "ns/"+kind))
}

func inode(path string) uint64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Sys().(*syscall.Stat_t).Ino
}

// pids lists all processes.
func (p procFS) pids() ([]int, error) {
	entries, err := os.ReadDir(string(p))
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// ancestors returns pid and its parents up to process 1.
func (p procFS) ancestors(pid int) map[int]bool {
	chain := map[int]bool{}
	for pid > 0 && !chain[pid] {
		chain[pid] = true
		stat, err := p.stat(pid)
		if err != nil {
			break
		}
		pid = stat.parent
	}
	return chain
}

// isDaemon says whether the process is the component itself rather than
// something that it started.
func (p procFS) isDaemon(pid int, component, executable string) bool {
	stat, err := p.stat(pid)
	return err == nil && stat.state != 'Z' && stat.session == pid &&
		p.executable(pid) == executable && p.environ(pid, componentMark) == component
}

// signalIf sends a signal to the process if the condition still holds once a
// handle on it is open. The handle (a pidfd) cannot come to mean another
// process, so a recycled number is never signalled.
func signalIf(pid int, signal syscall.Signal, condition func(int) bool) error {
	handle, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	defer handle.Release()
	if !condition(pid) {
		return nil
	}
	if err := handle.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("signal process %d: %w", pid, err)
	}
	return nil
}
