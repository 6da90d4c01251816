// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindModule(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	module := filepath.Join(root, "test", "cluster")
	writeTestFile(t, filepath.Join(root, "go.mod"), "module github.com/sparkgate/sparkgate\n")
	writeTestFile(t, filepath.Join(module, "go.mod"), "module "+modulePath+"\n")
	deep := filepath.Join(root, "docs", "deep")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, start := range []string{root, module, filepath.Join(module, "localcluster"), deep} {
		if got := moduleAround(start); got != module {
			t.Errorf("moduleAround(%s) = %q, want %q", start, got, module)
		}
	}
	if got := moduleAround(t.TempDir()); got != "" {
		t.Errorf("found %q where there is no module", got)
	}
}

func TestSourceKey(t *testing.T) {
	t.Parallel()
	base := map[string]string{
		"go.mod": "module x\n", "go.sum": "a h1:x\n", "allinone/main.go": "package main\n",
		"pause/main.go": "package main\n", "localcluster/main.go": "package main\n",
	}
	key := func(t *testing.T, change map[string]string, goVersion, flags string) string {
		t.Helper()
		dir := t.TempDir()
		for name, content := range base {
			writeTestFile(t, filepath.Join(dir, name), content)
		}
		for name, content := range change {
			writeTestFile(t, filepath.Join(dir, name), content)
		}
		got, err := sourceKey(dir, goVersion, flags)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	before := key(t, nil, "go1.26", "-s")
	if len(before) != 16 {
		t.Errorf("key %q has not 16 digits", before)
	}
	tests := map[string]struct {
		change           map[string]string
		goVersion, flags string
		same             bool
	}{
		"nothing":          {nil, "go1.26", "-s", true},
		"the orchestrator": {map[string]string{"localcluster/main.go": "package main // x\n"}, "go1.26", "-s", true},
		"a test":           {map[string]string{"allinone/main_test.go": "package main\n"}, "go1.26", "-s", true},
		"go.sum":           {map[string]string{"go.sum": "b h1:x\n"}, "go1.26", "-s", false},
		"go.mod":           {map[string]string{"go.mod": "module y\n"}, "go1.26", "-s", false},
		"the source":       {map[string]string{"allinone/main.go": "package main // x\n"}, "go1.26", "-s", false},
		"a new file":       {map[string]string{"allinone/more.go": "package main\n"}, "go1.26", "-s", false},
		"the compiler":     {nil, "go1.27", "-s", false},
		"linker flags":     {nil, "go1.26", "-s -w", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := key(t, tt.change, tt.goVersion, tt.flags); (got == before) != tt.same {
				t.Errorf("key = %s, before %s, want same: %v", got, before, tt.same)
			}
		})
	}
}

func TestLinkerFlags(t *testing.T) {
	t.Parallel()
	got, err := linkerFlags("module x\n\nrequire (\n\tk8s.io/api v0.36.4\n\tk8s.io/kubernetes v1.36.4\n)\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"-s -w -X ",
		"-X k8s.io/component-base/version.gitVersion=v1.36.4",
		"-X k8s.io/component-base/version.gitMajor=1",
		"-X k8s.io/component-base/version.gitMinor=36",
		"-X k8s.io/client-go/pkg/version.gitVersion=v1.36.4",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("flags %q lack %q", got, want)
		}
	}
	if _, err := linkerFlags("module x\n"); err == nil {
		t.Error("no error without the requirement")
	}
}

func TestOwnModuleHasTheVersion(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version, _, _, err := kubernetesVersion(string(content))
	if err != nil {
		t.Fatal(err)
	}
	// One patch version everywhere: staging modules are versioned v0.MINOR.PATCH.
	staging := "v0" + strings.TrimPrefix(version, "v1")
	for line := range strings.Lines(string(content)) {
		if _, replacement, ok := strings.Cut(line, " => "); ok && !strings.HasSuffix(strings.TrimSpace(replacement), " "+staging) {
			t.Errorf("%q is not at %s", strings.TrimSpace(line), staging)
		}
	}
}

func TestBuiltIsCompleteOnlyWithEverything(t *testing.T) {
	t.Parallel()
	b := built{dir: t.TempDir()}
	steps := []string{b.pause(), b.binary()}
	for _, name := range assetNames {
		steps = append(steps, filepath.Join(b.assets(), name))
	}
	for _, path := range steps {
		if b.complete() {
			t.Errorf("complete without %s", path)
		}
		writeTestFile(t, path, "")
	}
	if !b.complete() {
		t.Error("not complete with everything")
	}
}
