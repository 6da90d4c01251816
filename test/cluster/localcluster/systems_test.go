// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestSystemsAreModules: each system has a module of its name that pins it and names a program.
func TestSystemsAreModules(t *testing.T) {
	t.Parallel()
	for _, s := range systems() {
		content, err := os.ReadFile(filepath.Join("..", "..", "systems", s.name, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		for what, pattern := range map[string]string{
			"requires no version of " + s.module: `(?m)^\s*(require )?` + regexp.QuoteMeta(s.module) + ` v\S+`,
			"names no program of " + s.module:    `(?m)^\s*(tool )?` + regexp.QuoteMeta(s.module) + `(/\S+)?$`,
		} {
			if !regexp.MustCompile(pattern).Match(content) {
				t.Errorf("go.mod of %s %s", s.name, what)
			}
		}
	}
}

// TestKueueSharesTheBuildCache: with another patch version, all of Kubernetes would be compiled twice.
func TestKueueSharesTheBuildCache(t *testing.T) {
	t.Parallel()
	var versions []string
	for _, file := range []string{"../go.mod", "../../systems/kueue/go.mod"} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		version, _, _, err := kubernetesVersion(strings.ReplaceAll(string(content), " // indirect", ""))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		versions = append(versions, version)
	}
	if versions[0] != versions[1] {
		t.Errorf("Kubernetes is at %s here, at %s for Kueue", versions[0], versions[1])
	}
}

func TestUnknownSystem(t *testing.T) {
	t.Parallel()
	_, err := findSystem("slurm")
	if err == nil || !strings.Contains(err.Error(), "slurm") || !strings.Contains(err.Error(), "volcano") {
		t.Errorf("error = %v, want one that says what there is", err)
	}
}

// TestOnce: of many callers one builds, and all find the result.
func TestOnce(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	o := once{root: root, dir: filepath.Join(root, "key")}
	o.complete = func() bool { return exists(filepath.Join(o.dir, "program")) }
	builds := 0
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			err := o.ensure(newReporter(io.Discard, time.Time{}), func(dir string) error {
				builds++ // the lock keeps others out
				return os.WriteFile(filepath.Join(dir, "program"), nil, 0o600)
			})
			if err != nil || !o.complete() {
				t.Errorf("ensure: %v, complete: %v", err, o.complete())
			}
		})
	}
	all.Wait()
	if builds != 1 {
		t.Errorf("built %d times, want once", builds)
	}
}

// TestOnceLeavesNothingHalf: what a failed build has made is not found, and does not get into the next one.
func TestOnceLeavesNothingHalf(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	o := once{root: root, dir: filepath.Join(root, "key")}
	o.complete = func() bool { return exists(o.dir) }
	report := newReporter(io.Discard, time.Time{})
	broken := errors.New("broken")
	err := o.ensure(report, func(dir string) error {
		return errors.Join(os.WriteFile(filepath.Join(dir, "half"), nil, 0o600), broken)
	})
	if !errors.Is(err, broken) || o.complete() {
		t.Errorf("error = %v, complete = %v", err, o.complete())
	}
	if err := o.ensure(report, func(string) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if exists(filepath.Join(o.dir, "half")) {
		t.Error("the failed build got into the next one")
	}
}
