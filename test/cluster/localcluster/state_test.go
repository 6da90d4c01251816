// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClaimDir(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		files   []string
		refused bool
	}{
		"a new folder":      {nil, false},
		"own, half made":    {[]string{".sparkgate-cluster"}, false},
		"own, complete":     {[]string{".sparkgate-cluster", "cluster.json", "etcd/db"}, false},
		"somebody's folder": {[]string{"precious"}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := cluster{name: "sparkgate", dir: t.TempDir()}
			for _, file := range tt.files {
				writeTestFile(t, c.path(file), "x")
			}
			if err := c.checkDir(); (err != nil) != tt.refused {
				t.Errorf("down: error = %v, want refused: %v", err, tt.refused)
			}
			if err := c.claimDir(); (err != nil) != tt.refused {
				t.Errorf("up: error = %v, want refused: %v", err, tt.refused)
			}
			if tt.refused && !exists(c.path("precious")) {
				t.Error("a file was deleted")
			}
		})
	}
}

func TestRemoveDirTwice(t *testing.T) {
	t.Parallel()
	c := cluster{name: "sparkgate", dir: filepath.Join(t.TempDir(), "state")}
	if err := c.claimDir(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.removeDir(); err != nil {
			t.Fatal(err)
		}
	}
	if exists(c.dir) {
		t.Error("the folder is still there")
	}
}

func TestRecordKeepsTheAuditChoice(t *testing.T) {
	t.Parallel()
	c := cluster{name: "sparkgate", dir: t.TempDir()}
	if _, err := c.readRecord(); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("error without a record = %v", err)
	}
	steps := []struct {
		choice auditChoice
		want   bool
	}{
		{auditChoice{}, false},
		{auditChoice{set: true, on: true}, true},
		{auditChoice{}, true},
		{auditChoice{set: true, on: false}, false},
	}
	for i, step := range steps {
		if err := c.writeRecord(step.choice, built{dir: "/cache/key", version: "v1.2.3"}); err != nil {
			t.Fatal(err)
		}
		got, err := c.readRecord()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(clusterRecord{Build: "/cache/key", Version: "v1.2.3", Audit: step.want}, got); diff != "" {
			t.Errorf("after step %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestMissingDirs(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	want := []string{filepath.Join(root, "a"), filepath.Join(root, "a/b")}
	if diff := cmp.Diff(want, missingDirs(filepath.Join(root, "a/b"))); diff != "" {
		t.Errorf("missing folders (-want +got):\n%s", diff)
	}
	if got := missingDirs(root); len(got) != 0 {
		t.Errorf("missing folders = %v, want none", got)
	}
}

func TestLockIsExclusiveAndSaysWhoHoldsIt(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	var out bytes.Buffer
	first, err := acquireLock(path, &out)
	if err != nil {
		t.Fatal(err)
	}
	acquired := make(chan *fileLock)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	go func() {
		defer writer.Close()
		second, err := acquireLock(path, writer)
		if err != nil {
			t.Error(err)
		}
		acquired <- second
	}()
	line := make([]byte, 200)
	n, err := reader.Read(line) // returns once the second waits
	if err != nil || !strings.Contains(string(line[:n]), "waiting for process "+lockOwner(path)) {
		t.Errorf("told %q, %v", line[:n], err)
	}
	select {
	case <-acquired:
		t.Fatal("two hold the lock")
	default:
	}
	// The file goes away with what it protects; who waited must not take the
	// deleted file for the lock.
	if err := first.releaseWith(path, filepath.Join(t.TempDir(), "gone")); err != nil {
		t.Fatal(err)
	}
	second := <-acquired
	if !sameFile(second.file, path) {
		t.Error("the lock is on a deleted file")
	}
	if err := second.releaseWith(path, path); err != nil || !exists(path) {
		t.Errorf("the lock file did not stay with what it protects (%v)", err)
	}
}

func TestLinkAlias(t *testing.T) {
	t.Parallel()
	const output = "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue\n    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n"
	for input, want := range map[string]string{output: "", output + "    alias /var/lib/sparkgate-local\n": "/var/lib/sparkgate-local"} {
		if got := linkAlias(input); got != want {
			t.Errorf("alias = %q, want %q", got, want)
		}
	}
}

func TestWithVariables(t *testing.T) {
	t.Parallel()
	got := withVariables([]string{"A=1", "KUBECONFIG=old", "B=2"}, map[string]string{"KUBECONFIG": "new", "C": "3"})
	if diff := cmp.Diff([]string{"A=1", "B=2", "C=3", "KUBECONFIG=new"}, got); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}

func TestUsageNamesEveryCommand(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	printUsage(&out)
	for _, c := range commands() {
		if !strings.Contains(out.String(), "\n  "+c.name+" ") {
			t.Errorf("usage lacks %s", c.name)
		}
	}
}
