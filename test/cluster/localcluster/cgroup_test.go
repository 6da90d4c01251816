// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTrackingHierarchy(t *testing.T) {
	t.Parallel()
	v1 := func(controller string) mount {
		return mount{Point: "/sys/fs/cgroup/" + controller, FSType: "cgroup", Options: []string{"rw", controller}}
	}
	unified := mount{Point: "/sys/fs/cgroup", FSType: "cgroup2", Options: []string{"rw"}}
	tests := map[string]struct {
		mounts  []mount
		want    string
		wantErr bool
	}{
		"v2":                        {mounts: []mount{{Point: "/", FSType: "ext4"}, unified}, want: "/sys/fs/cgroup"},
		"v1 prefers pids":           {mounts: []mount{v1("cpu"), v1("memory"), v1("pids")}, want: "/sys/fs/cgroup/pids"},
		"v1 without pids":           {mounts: []mount{v1("cpu"), v1("memory")}, want: "/sys/fs/cgroup/memory"},
		"hybrid tracks in v1":       {mounts: []mount{unified, v1("pids")}, want: "/sys/fs/cgroup/pids"},
		"no cgroups":                {mounts: []mount{{Point: "/", FSType: "ext4"}}, wantErr: true},
		"v1 without any useful one": {mounts: []mount{v1("cpu"), unified}, wantErr: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := trackingHierarchy(cgroupHierarchies(tt.mounts))
			if (err != nil) != tt.wantErr || got.root != tt.want {
				t.Errorf("tracking hierarchy = %q, %v, want %q, error %v", got.root, err, tt.want, tt.wantErr)
			}
		})
	}
}

func TestMissingControllers(t *testing.T) {
	t.Parallel()
	got := missingControllers("cpuset cpu io memory hugetlb pids rdma misc\n", "memory pids\n")
	if diff := cmp.Diff([]string{"cpu", "cpuset", "hugetlb", "io"}, got); diff != "" {
		t.Errorf("controllers to enable (-want +got):\n%s", diff)
	}
}

// fakeCgroups lays out a v1 tree in a folder. The kernel's own files are
// plain files here.
func fakeCgroups(t *testing.T) cgroups {
	t.Helper()
	h := hierarchy{root: t.TempDir(), controllers: []string{"pids"}}
	writeTestFile(t, filepath.Join(h.root, "cpuset.cpus"), "0-1\n")
	return cgroups{all: []hierarchy{h}, tracking: h, name: "sparkgate"}
}

func writeTestFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCgroupsFindProcesses(t *testing.T) {
	t.Parallel()
	groups := fakeCgroups(t)
	if groups.exist() {
		t.Fatal("exists before create")
	}
	if err := groups.create(); err != nil {
		t.Fatal(err)
	}
	if !groups.exist() {
		t.Fatal("does not exist after create")
	}
	writeTestFile(t, filepath.Join(groups.daemonsDir(), "cgroup.procs"), "11\n12\n")
	writeTestFile(t, filepath.Join(groups.trackingDir(), "kubepods/burstable/pod1/c1/cgroup.procs"), "13\n")
	writeTestFile(t, filepath.Join(groups.tracking.root, "other/cgroup.procs"), "99\n")

	daemons, err := groups.daemons()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{11, 12}, daemons); diff != "" {
		t.Errorf("daemons (-want +got):\n%s", diff)
	}
	all, err := groups.processes()
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	if diff := cmp.Diff([]int{11, 12, 13}, all); diff != "" {
		t.Errorf("all processes (-want +got):\n%s", diff)
	}
}

func TestCgroupsOthers(t *testing.T) {
	t.Parallel()
	groups := fakeCgroups(t)
	for _, name := range []string{"sparkgate", "sparkgate-ci", "kubepods", "sparkgate.slice"} {
		if err := os.Mkdir(filepath.Join(groups.tracking.root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	got, err := groups.others()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"sparkgate-ci"}, got); diff != "" {
		t.Errorf("other clusters (-want +got):\n%s", diff)
	}
}

func TestInheritCPUSet(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	child := filepath.Join(parent, "child")
	writeTestFile(t, filepath.Join(parent, "cpuset.cpus"), "0-3")
	writeTestFile(t, filepath.Join(parent, "cpuset.mems"), "0")
	writeTestFile(t, filepath.Join(child, "cpuset.cpus"), "\n")
	writeTestFile(t, filepath.Join(child, "cpuset.mems"), "1\n")
	if err := inheritCPUSet(parent, child); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"cpuset.cpus": "0-3", "cpuset.mems": "1"} {
		content, err := os.ReadFile(filepath.Join(child, file))
		if err != nil || strings.TrimSpace(string(content)) != want {
			t.Errorf("%s = %q, %v, want %q", file, content, err, want)
		}
	}
}

func TestRemoveCgroupTree(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "sparkgate")
	if err := os.MkdirAll(filepath.Join(root, "kubepods/burstable/pod1"), 0o755); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second finds nothing
		if err := removeCgroupTree(root); err != nil {
			t.Fatal(err)
		}
	}
	if exists(root) {
		t.Error("cgroup is still there")
	}
}
