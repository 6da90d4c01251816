// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// goModule is a folder with a go.mod, and the go command.
type goModule struct {
	module string // folder
	goTool string
}

func newGoModule(dir string) (goModule, error) {
	tool, err := goTool()
	return goModule{module: dir, goTool: tool}, err
}

// goCommand runs in the module whatever workspace is active.
func (m goModule) goCommand(args ...string) *exec.Cmd {
	command := exec.Command(m.goTool, args...)
	command.Dir = m.module
	command.Env = append(os.Environ(), "GOWORK=off")
	return command
}

// output is what a go command prints.
func (m goModule) output(args ...string) (string, error) {
	out, err := m.goCommand(args...).Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// key is sourceKey with the compiler that is installed.
func (m goModule) key(settings string) (string, error) {
	goVersion, err := m.output("env", "GOVERSION")
	if err != nil {
		return "", err
	}
	return sourceKey(m.module, goVersion, settings)
}

// checkDisk wants free space in bytes where the build cache and the result lie.
func (m goModule) checkDisk(bytes uint64, root, purpose string) error {
	goCache, err := m.output("env", "GOCACHE")
	if err != nil {
		return err
	}
	for _, dir := range []string{goCache, root} {
		if err := requireDisk(dir, bytes, purpose); err != nil {
			return err
		}
	}
	return nil
}

// cacheFolder is a folder of ours in the user's cache folder.
func cacheFolder(name string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache folder: %w (set HOME or XDG_CACHE_HOME)", err)
	}
	return filepath.Join(cache, "sparkgate", name), nil
}

// once is a folder in the cache that is created only where it is missing.
type once struct {
	root     string // of all folders of its kind
	dir      string
	complete func() bool
}

// ensure makes what the cache does not hold. It comes into being whole or not at all. Callers at the same time wait for one of them.
func (o once) ensure(report *reporter, build func(dir string) error) (err error) {
	if o.complete() {
		return nil
	}
	lock, err := acquireLock(filepath.Join(o.root, ".lock"), report.out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.release()) }()
	if o.complete() {
		return nil
	}
	temporary := filepath.Join(o.root, "unfinished")
	if err := errors.Join(os.RemoveAll(temporary), os.MkdirAll(temporary, 0o755)); err != nil {
		return err
	}
	if err := build(temporary); err != nil {
		return err
	}
	if err := os.RemoveAll(o.dir); err != nil { // incomplete, or we would not build
		return err
	}
	return os.Rename(temporary, o.dir)
}
