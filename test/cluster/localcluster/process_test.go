// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// statLine renders /proc/PID/stat with the given fields and zeros elsewhere.
func statLine(pid int, name string, stat procStat) string {
	fields := make([]string, 50)
	for i := range fields {
		fields[i] = "0"
	}
	fields[0] = string(stat.state)
	fields[1] = strconv.Itoa(stat.parent)
	fields[3] = strconv.Itoa(stat.session)
	fields[19] = strconv.FormatUint(stat.startTicks, 10)
	fields[21] = strconv.FormatUint(stat.residentKB*1024/uint64(os.Getpagesize()), 10)
	return fmt.Sprintf("%d (%s) %s\n", pid, name, strings.Join(fields, " "))
}

func TestParseStat(t *testing.T) {
	t.Parallel()
	want := procStat{state: 'S', parent: 7, session: 42, startTicks: 123456, residentKB: 2048}
	got, err := parseStat(statLine(42, "a) (b 1 2 3", want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(procStat{})); diff != "" {
		t.Errorf("stat (-want +got):\n%s", diff)
	}
	for _, line := range []string{"", "1 (x) S 1", "1 (x) S x 1 x 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"} {
		if _, err := parseStat(line); err == nil {
			t.Errorf("parseStat(%q) gave no error", line)
		}
	}
}

// fakeProcess writes what procFS reads of one process.
type fakeProcess struct {
	pid        int
	stat       procStat
	executable string
	environ    []string
}

func fakeProc(t *testing.T, processes ...fakeProcess) procFS {
	t.Helper()
	root := t.TempDir()
	for _, p := range processes {
		dir := filepath.Join(root, strconv.Itoa(p.pid))
		writeTestFile(t, filepath.Join(dir, "stat"), statLine(p.pid, "x", p.stat))
		writeTestFile(t, filepath.Join(dir, "environ"), strings.Join(p.environ, "\x00")+"\x00")
		if err := os.Symlink(p.executable, filepath.Join(dir, "exe")); err != nil {
			t.Fatal(err)
		}
	}
	return procFS(root)
}

func TestIsDaemon(t *testing.T) {
	t.Parallel()
	marked := []string{"PATH=/bin", componentMark + "=etcd"}
	tests := map[string]struct {
		process fakeProcess
		want    bool
	}{
		"the daemon":             {fakeProcess{10, procStat{state: 'S', session: 10}, "/cache/allinone", marked}, true},
		"its file was replaced":  {fakeProcess{10, procStat{state: 'S', session: 10}, "/cache/allinone (deleted)", marked}, true},
		"a child before exec":    {fakeProcess{10, procStat{state: 'S', session: 9}, "/cache/allinone", marked}, false},
		"on the way to it":       {fakeProcess{10, procStat{state: 'S', session: 10}, "/usr/bin/nsenter", marked}, false},
		"a zombie":               {fakeProcess{10, procStat{state: 'Z', session: 10}, "/cache/allinone", marked}, false},
		"another component":      {fakeProcess{10, procStat{state: 'S', session: 10}, "/cache/allinone", []string{componentMark + "=kubelet"}}, false},
		"not ours":               {fakeProcess{10, procStat{state: 'S', session: 10}, "/cache/allinone", nil}, false},
		"name is only a prefix":  {fakeProcess{10, procStat{state: 'S', session: 10}, "/cache/allinone", []string{componentMark + "=etcd-2"}}, false},
		"mark in another's name": {fakeProcess{10, procStat{state: 'S', session: 10}, "/cache/allinone", []string{"X" + componentMark + "=etcd"}}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := fakeProc(t, tt.process).isDaemon(10, "etcd", "allinone"); got != tt.want {
				t.Errorf("isDaemon = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestAncestors(t *testing.T) {
	t.Parallel()
	proc := fakeProc(t,
		fakeProcess{pid: 1, stat: procStat{state: 'S'}, executable: "init"},
		fakeProcess{pid: 5, stat: procStat{state: 'S', parent: 1}, executable: "sh"},
		fakeProcess{pid: 9, stat: procStat{state: 'S', parent: 5}, executable: "localcluster"},
		fakeProcess{pid: 6, stat: procStat{state: 'S', parent: 1}, executable: "other"},
	)
	if diff := cmp.Diff(map[int]bool{9: true, 5: true, 1: true}, proc.ancestors(9)); diff != "" {
		t.Errorf("ancestors (-want +got):\n%s", diff)
	}
}

func TestSignalIf(t *testing.T) {
	t.Parallel()
	sleeper := exec.Command("sleep", "600")
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	pid := sleeper.Process.Pid
	if err := signalIf(pid, syscall.SIGKILL, func(int) bool { return false }); err != nil {
		t.Fatal(err)
	}
	if !procFS("/proc").running(pid) {
		t.Fatal("the process was signalled although the condition does not hold")
	}
	if err := signalIf(pid, syscall.SIGKILL, func(int) bool { return true }); err != nil {
		t.Fatal(err)
	}
	if err := sleeper.Wait(); err == nil {
		t.Error("the process was not killed")
	}
	if err := signalIf(pid, syscall.SIGKILL, func(int) bool { return true }); err != nil {
		t.Errorf("a process that is gone gives %v", err)
	}
}
