// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package spark

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/sparkgate/sparkgate/test/image/archive"
)

// fakeHost is a machine whose commands leave behind what the real ones do.
type fakeHost struct {
	t        *testing.T
	mu       sync.Mutex
	commands []string
	fail     string // the program that fails
	output   string // what it prints
}

func (h *fakeHost) host() Host {
	return Host{
		Has:  func(string) bool { return true },
		Free: func(string) (uint64, error) { return 1 << 40, nil },
		Run:  h.run,
	}
}

func (h *fakeHost) run(_ context.Context, c Command) error {
	command := c.Args
	h.mu.Lock()
	h.commands = append(h.commands, command[0])
	h.mu.Unlock()
	if command[0] == h.fail {
		return errors.Join(os.WriteFile(c.Log, []byte(h.output), 0o644), errors.New("exit status 1"))
	}
	switch command[0] {
	case "mmdebstrap":
		data, err := os.ReadFile(rootfs(h.t, map[string]string{
			"etc/passwd": "", "etc/group": "", bundleFile: authority("one"), "usr/lib/jvm/java-17-openjdk/bin/java": "",
		}))
		return errors.Join(err, os.WriteFile(command[len(command)-2], data, 0o644))
	case "python3":
		if index := slices.IndexFunc(command, func(s string) bool { return strings.HasPrefix(s, "--dest=") }); index > 0 {
			return os.WriteFile(filepath.Join(strings.TrimPrefix(command[index], "--dest="), "pyspark-9.9.9.tar.gz"), sdist(h.t), 0o644)
		}
	case "javac":
		dir := command[slices.Index(command, "-d")+1]
		return errors.Join(os.MkdirAll(dir+"/io", 0o755), os.WriteFile(dir+"/io/A.class", []byte("class"), 0o644))
	}
	return nil
}

func sdist(t *testing.T) []byte {
	t.Helper()
	var data bytes.Buffer
	zipped := gzip.NewWriter(&data)
	w := tar.NewWriter(zipped)
	for name, mode := range map[string]int64{
		"deps/jars/spark-core.jar": 0o644, "deps/bin/spark-submit": 0o755, "deps/bin/spark-submit.cmd": 0o644,
		"lib/pyspark.zip": 0o644, "setup.py": 0o644, "deps/jars/../../../evil": 0o644, "LICENSE": 0o600,
	} {
		if err := w.WriteHeader(&tar.Header{Name: "pyspark-9.9.9/" + name, Typeflag: tar.TypeReg, Mode: mode}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

func testSources() fstest.MapFS {
	return fstest.MapFS{
		"archive/layer.go": file("a"), "archive/source.go": file("a"), "archive/image.go": file("a"),
		"spark/base.go": file("b"), "spark/keystore.go": file("k"), "spark/pypi.go": file("p"), "spark/layout.go": file("l"),
		"spark/examples.go": file("e"), "spark/build.go": file("b"),
		"examples/pi.py": file("pi"), "examples/java/io/A.java": file("class A {}"),
		"rootfs/entrypoint.sh": file("#!/bin/bash\n"), "rootfs/decom.sh": file("#!/bin/bash\n"),
	}
}

func newBuilder(t *testing.T, h *fakeHost) (Builder, *bytes.Buffer) {
	t.Helper()
	h.t = t
	var out bytes.Buffer
	return Builder{
		Host:     h.host(),
		Progress: NewProgress(&out, func() time.Time { return archive.Epoch }),
		Sources:  testSources(),
		Cache:    filepath.Join(t.TempDir(), "image"),
		Mirror:   "http://m.test",
	}, &out
}

func TestBuildOnceAndThenOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	h := &fakeHost{}
	b, said := newBuilder(t, h)
	out := filepath.Join(t.TempDir(), "new", "spark.tar")
	steps := []struct {
		name    string
		change  func()
		version string
		run     []string // programs, sorted
	}{
		{"first", func() {}, "9.9.9", []string{"javac", "mmdebstrap", "python3", "python3"}},
		{"again", func() {}, "9.9.9", nil},
		{"archive removed", func() { _ = os.Remove(out) }, "9.9.9", nil},
		{"example changed", func() { b.Sources.(fstest.MapFS)["examples/pi.py"] = file("new") }, "9.9.9", []string{"javac"}},
		{"layout changed", func() { b.Sources.(fstest.MapFS)["spark/layout.go"] = file("new") }, "9.9.9", []string{"javac"}},
		{"base changed", func() { b.Sources.(fstest.MapFS)["spark/base.go"] = file("new") }, "9.9.9", []string{"mmdebstrap"}},
		{"test added", func() { b.Sources.(fstest.MapFS)["examples/a_test.go"] = file("new") }, "9.9.9", nil},
		{"other version", func() {}, "9.9.8", []string{"javac", "python3", "python3"}},
	}
	for _, step := range steps {
		step.change()
		h.commands = nil
		said.Reset()
		if err := b.Build(t.Context(), step.version, out); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		slices.Sort(h.commands)
		if !slices.Equal(h.commands, step.run) {
			t.Errorf("%s: ran %q, want %q", step.name, h.commands, step.run)
		}
		if step.name == "again" && !strings.Contains(said.String(), "already built") {
			t.Errorf("again: said %q", said)
		}
	}
	layers, err := filepath.Glob(filepath.Join(b.Cache, "layers", "*"))
	if err != nil || len(layers) != 5 {
		t.Errorf("cache has %q, %v; want the base and two layers for each version", layers, err)
	}
	if exists(b.work()) {
		t.Error("the folder for work in progress is left")
	}
}

func TestDistributionIsASparkInstallation(t *testing.T) {
	t.Parallel()
	b, _ := newBuilder(t, &fakeHost{})
	if err := b.Build(t.Context(), "9.9.9", filepath.Join(t.TempDir(), "spark.tar")); err != nil {
		t.Fatal(err)
	}
	var files []string
	home := filepath.Join(b.Cache, "..", "spark", "9.9.9")
	err := fs.WalkDir(os.DirFS(home), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			info, _ := d.Info()
			files = append(files, fmt.Sprintf("%s %o", name, info.Mode().Perm()))
		}
		return err
	})
	want := []string{"LICENSE 644", "bin/spark-submit 755", "jars/spark-core.jar 644", "python/lib/pyspark.zip 644"}
	if err != nil || !slices.Equal(files, want) {
		t.Errorf("got %q, %v; want %q", files, err, want)
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	const pip = "ERROR: Could not find a version that satisfies the requirement pyspark==9.9.9 (from versions: 2.4.8, 3.4.4, 3.5.8, 4.0.0.dev1, 4.1.4, 10.0.0)\nERROR: No matching distribution found\n"
	for name, test := range map[string]struct {
		version string
		host    *fakeHost
		change  func(*Host)
		want    []string
	}{
		"version without patch": {version: "4.1", want: []string{`"4.1"`, "4.1.4"}},
		"not root":              {change: func(h *Host) { h.UID = 1000 }, want: []string{"root", "sudo"}},
		"little space": {
			change: func(h *Host) { h.Free = func(string) (uint64, error) { return 5 << 30, nil } },
			want:   []string{"5.0 GiB free", "needs 6", "XDG_CACHE_HOME"},
		},
		"nothing there and no apt": {
			change: func(h *Host) { h.Has = func(string) bool { return false } },
			want:   []string{"mmdebstrap openjdk-17-jdk-headless python3 python3-pip", "apt-get install"},
		},
		"packages cannot be had": {
			host:   &fakeHost{fail: "apt-get", output: "E: Unable to fetch\n"},
			change: func(h *Host) { h.Has = func(program string) bool { return program != "javac" } },
			want:   []string{"E: Unable to fetch", "openjdk-17-jdk-headless", "packages.log"},
		},
		"unknown version": {host: &fakeHost{fail: "python3", output: pip}, want: []string{"PyPI has no pyspark 9.9.9", "it has 3.5.8, 4.1.4, 10.0.0"}},
		"no index":        {host: &fakeHost{fail: "python3", output: "ERROR: connection refused\n"}, want: []string{"connection refused", "pip download", "pyspark.log"}},
		"no archive":      {host: &fakeHost{fail: "mmdebstrap", output: "I: x\nE: setup failed\nI: removing\n"}, want: []string{"E: setup failed", "--mirror", "base.log"}},
		"old javac":       {host: &fakeHost{fail: "javac", output: "error: release version 17 not supported\n"}, want: []string{"release version 17", "Java 17"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := test.host
			if h == nil {
				h = &fakeHost{}
			}
			b, _ := newBuilder(t, h)
			if test.change != nil {
				test.change(&b.Host)
			}
			version := test.version
			if version == "" {
				version = "9.9.9"
			}
			err := b.Build(t.Context(), version, filepath.Join(t.TempDir(), "spark.tar"))
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %q", err)
			}
		})
	}
}

func TestJar(t *testing.T) {
	t.Parallel()
	data, err := jar(fstest.MapFS{"b/B.class": file("B"), "a/A.class": file("A")})
	if err != nil {
		t.Fatal(err)
	}
	reader, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range reader.File {
		names = append(names, f.Name)
	}
	if want := []string{"META-INF/MANIFEST.MF", "a/A.class", "b/B.class"}; !slices.Equal(names, want) {
		t.Errorf("entries %q, want %q", names, want)
	}
}
