// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fakeSupervisor sees the processes in the cluster's daemons cgroup.
func fakeSupervisor(t *testing.T, processes ...fakeProcess) *supervisor {
	t.Helper()
	groups := fakeCgroups(t)
	var pids strings.Builder
	for _, p := range processes {
		fmt.Fprintln(&pids, p.pid)
	}
	writeTestFile(t, filepath.Join(groups.daemonsDir(), "cgroup.procs"), pids.String())
	c := cluster{name: "sparkgate", dir: "/state"}
	return &supervisor{
		cluster: c, groups: groups, proc: fakeProc(t, processes...),
		specs:    c.components(settings{binary: "/cache/allinone", pause: "/cache/pause"}),
		children: map[string]*child{}, report: newReporter(io.Discard, time.Time{}),
	}
}

func daemon(pid int, name, executable string) fakeProcess {
	return fakeProcess{
		pid: pid, stat: procStat{state: 'S', session: pid}, executable: executable,
		environ: []string{componentMark + "=" + name, digestMark + "=d"},
	}
}

func TestFindDistinguishesDaemonsFromTheirChildren(t *testing.T) {
	t.Parallel()
	shim := daemon(22, containerd, "/usr/bin/containerd-shim-runc-v2")
	shim.stat.session = 20
	s := fakeSupervisor(t,
		daemon(10, etcd, "/cache/allinone"),
		daemon(20, containerd, "/usr/bin/containerd"),
		shim,
		daemon(30, mountsHolder, "/usr/bin/dash"),
	)
	for name, want := range map[string]int{etcd: 10, containerd: 20, mountsHolder: 0, kubelet: 0} {
		got, err := s.find(name)
		if err != nil || got != want {
			t.Errorf("find(%s) = %d, %v, want %d", name, got, err, want)
		}
	}
	for pid, want := range map[int]bool{10: false, 20: false, 22: false, 30: true} {
		if got := s.becoming(pid); got != want {
			t.Errorf("becoming(%d) = %v, want %v", pid, got, want)
		}
	}
}

func TestCommandLineNeedsTheNodesMounts(t *testing.T) {
	t.Parallel()
	s := fakeSupervisor(t)
	if _, err := s.commandLine(s.specs[kubelet]); err == nil {
		t.Error("the kubelet would be started outside the node's mount namespace")
	}
	got, err := s.commandLine(s.specs[etcd])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s.specs[etcd].argv, got); diff != "" {
		t.Errorf("etcd's command line (-want +got):\n%s", diff)
	}
}

func TestLogTail(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.log")
	writeTestFile(t, path, "one\ntwo\nthree\n")
	for lines, want := range map[int]string{2: "two\nthree", 10: "one\ntwo\nthree"} {
		if got := logTail(path, lines); got != want {
			t.Errorf("logTail(%d) = %q, want %q", lines, got, want)
		}
	}
}

func TestOpenLogAppendsAndMovesLongLogs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.log")
	for range 2 {
		log, err := openLog(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(log, "line\n"); err != nil {
			t.Fatal(err)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := logTail(path, 9); got != "line\nline" {
		t.Errorf("log = %q, want both lines", got)
	}
	if err := os.Truncate(path, maxLogSize+1); err != nil {
		t.Fatal(err)
	}
	log, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if info, err := log.Stat(); err != nil || info.Size() != 0 || !exists(path+".old") {
		t.Errorf("a long log was not moved away: %v, %v", info, err)
	}
}
