// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		writeTestFile(t, path, got)
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got); run with -update if the change is meant:\n%s", path, diff)
	}
}

func testSettings() settings {
	return settings{
		binary: "/cache/allinone", pause: "/cache/pause", cniPlugins: "/usr/lib/cni",
		snapshotter: "overlayfs", diskStats: true, audit: true,
	}
}

func TestConfigFiles(t *testing.T) {
	t.Parallel()
	files, err := cluster{name: "sparkgate", dir: "/state"}.configFiles(testSettings())
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, path := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&out, "--- %s\n%s\n", path, files[path])
	}
	golden(t, "configs.golden", out.String())
}

func TestCommandLines(t *testing.T) {
	t.Parallel()
	specs := cluster{name: "sparkgate", dir: "/state"}.components(testSettings())
	var out strings.Builder
	for _, name := range componentNames {
		fmt.Fprintf(&out, "--- %s (program %s, in the node's mounts: %v)\n%s\n", name, specs[name].executable, specs[name].onNode, strings.Join(specs[name].argv, "\n"))
	}
	golden(t, "commandlines.golden", out.String())
}

func TestEveryComponentIsStarted(t *testing.T) {
	t.Parallel()
	specs := cluster{name: "sparkgate", dir: "/state"}.components(testSettings())
	started := slices.Concat(startOrder...)
	if diff := cmp.Diff(componentNames, started); diff != "" {
		t.Errorf("startOrder (-names +started):\n%s", diff)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(specs)), slices.Sorted(slices.Values(componentNames))); diff != "" {
		t.Errorf("componentNames (-described +named):\n%s", diff)
	}
}

func TestDigestFollowsWhatMattersToTheComponent(t *testing.T) {
	t.Parallel()
	c := cluster{name: "sparkgate", dir: "/state"}
	digests := func(change func(*settings)) map[string]string {
		s := testSettings()
		change(&s)
		contents, err := c.configFiles(s)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		for name, spec := range c.components(s) {
			all[name] = spec.digest(contents)
		}
		return all
	}
	before := digests(func(*settings) {})
	tests := map[string]struct {
		change func(*settings)
		want   []string // components to restart
	}{
		"nothing":     {func(*settings) {}, nil},
		"audit":       {func(s *settings) { s.audit = false }, []string{apiserver}},
		"snapshotter": {func(s *settings) { s.snapshotter = "native" }, []string{containerd}},
		"disk":        {func(s *settings) { s.diskStats = false }, []string{kubelet}},
		"binary": {func(s *settings) { s.binary = "/new/allinone" }, []string{
			coredns, etcd, apiserver, controllerManager, kubeProxy, scheduler, kubelet,
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var changed []string
			for component, digest := range digests(tt.change) {
				if digest != before[component] {
					changed = append(changed, component)
				}
			}
			slices.Sort(changed)
			if diff := cmp.Diff(tt.want, changed); diff != "" {
				t.Errorf("components with another digest (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWriteConfigFilesLeavesEqualFilesAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "etc", "x")
	files := map[string][]byte{path: []byte("content")}
	if err := writeConfigFiles(files); err != nil {
		t.Fatal(err)
	}
	first, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeConfigFiles(files); err != nil {
		t.Fatal(err)
	}
	if second, err := os.Stat(path); err != nil || !os.SameFile(first, second) {
		t.Errorf("an unchanged file was replaced (%v)", err)
	}
}
