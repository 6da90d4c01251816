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

const (
	buildDisk = 6 << 30 // bytes: module downloads, build cache and binary
	upDisk    = 3 << 30 // bytes: images and the writable layers of pods
)

// built is a finished build in the user's cache folder.
type built struct {
	dir     string
	version string // of Kubernetes
}

func (b built) binary() string { return filepath.Join(b.dir, "allinone") }
func (b built) pause() string  { return filepath.Join(b.dir, "pause") }

// assets is a folder that serves as KUBEBUILDER_ASSETS.
func (b built) assets() string { return filepath.Join(b.dir, "envtest") }

// The multi-call binary acts by the name it is called with, so a link is
// enough of a wrapper. CRDs and controllers are tested with these three.
var assetNames = []string{"etcd", "kube-apiserver", "kubectl"}

func (b built) complete() bool {
	for _, file := range []string{b.binary(), b.pause()} {
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	for _, name := range assetNames {
		if _, err := os.Stat(filepath.Join(b.assets(), name)); err != nil {
			return false
		}
	}
	return true
}

// builder compiles the binaries of a module.
type builder struct {
	module string // folder
	goTool string
	flags  string // for the linker
	root   string // cache folder of all builds
	target built
	report *reporter
}

func newBuilder(report *reporter) (*builder, error) {
	module, err := findModule()
	if err != nil {
		return nil, err
	}
	tool, err := goTool()
	if err != nil {
		return nil, err
	}
	goMod, err := os.ReadFile(filepath.Join(module, "go.mod"))
	if err != nil {
		return nil, err
	}
	flags, err := linkerFlags(string(goMod))
	if err != nil {
		return nil, err
	}
	b := &builder{module: module, goTool: tool, flags: flags, report: report}
	goVersion, err := b.goCommand("env", "GOVERSION").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOVERSION: %w", err)
	}
	key, err := sourceKey(module, strings.TrimSpace(string(goVersion)), flags)
	if err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("find the user's cache folder: %w (set HOME or XDG_CACHE_HOME)", err)
	}
	b.root = filepath.Join(cache, "sparkgate", "cluster")
	b.target.dir = filepath.Join(b.root, key)
	b.target.version, _, _, err = kubernetesVersion(string(goMod))
	return b, err
}

// goCommand runs in the module whatever workspace is active.
func (b *builder) goCommand(args ...string) *exec.Cmd {
	command := exec.Command(b.goTool, args...)
	command.Dir = b.module
	command.Env = append(os.Environ(), "GOWORK=off")
	return command
}

// ensure builds what the cache does not hold. Callers at the same time wait
// for one of them.
func (b *builder) ensure() (result built, err error) {
	if b.target.complete() {
		return b.target, nil
	}
	lock, err := acquireLock(filepath.Join(b.root, ".lock"), b.report.out)
	if err != nil {
		return b.target, err
	}
	defer func() { err = errors.Join(err, lock.release()) }()
	if b.target.complete() {
		return b.target, nil
	}
	if err := b.checkDisk(); err != nil {
		return b.target, err
	}
	return b.target, b.build()
}

func (b *builder) checkDisk() error {
	goCache, err := b.goCommand("env", "GOCACHE").Output()
	if err != nil {
		return fmt.Errorf("go env GOCACHE: %w", err)
	}
	for _, dir := range []string{strings.TrimSpace(string(goCache)), b.root} {
		if err := requireDisk(dir, buildDisk, "build Kubernetes"); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) build() error {
	temporary := filepath.Join(b.root, "unfinished")
	if err := os.RemoveAll(temporary); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(temporary, "envtest"), 0o755); err != nil {
		return err
	}
	b.report.step("building Kubernetes %s from its Go modules: 4 to 15 minutes the first time on 2 cores, seconds when the build cache has it", b.target.version)
	if err := b.compile(temporary); err != nil {
		return err
	}
	for _, name := range assetNames {
		if err := os.Symlink("../allinone", filepath.Join(temporary, "envtest", name)); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(b.target.dir); err != nil { // incomplete, or we would not build
		return err
	}
	return os.Rename(temporary, b.target.dir)
}

func (b *builder) compile(dir string) error {
	progress := &compileProgress{}
	list := b.goCommand("list", "-deps", "./allinone")
	if err := progress.run(b.report, list); err != nil {
		return fmt.Errorf("resolve the modules of Kubernetes: %w", err)
	}
	progress.total = progress.packages
	progress.packages = 0
	compile := b.goCommand("build", "-v", "-ldflags", b.flags, "-o", filepath.Join(dir, "allinone"), "./allinone")
	if err := progress.run(b.report, compile); err != nil {
		return fmt.Errorf("compile Kubernetes: %w", err)
	}
	pause := b.goCommand("build", "-ldflags", "-s -w", "-o", filepath.Join(dir, "pause"), "./pause")
	pause.Env = append(pause.Env, "CGO_ENABLED=0") // static: its image holds nothing else
	if err := progress.run(b.report, pause); err != nil {
		return fmt.Errorf("compile pause: %w", err)
	}
	return nil
}

// runBuild implements `build [--print-assets]`.
func runBuild(_ cluster, args []string) error {
	flags := newFlags("build")
	printAssets := flags.Bool("print-assets", false, "print only the folder for KUBEBUILDER_ASSETS on standard output, progress on standard error")
	if err := parseFlags(flags, args); err != nil {
		return err
	}
	out := os.Stdout
	if *printAssets {
		out = os.Stderr
	}
	report := newReporter(out, now())
	b, err := newBuilder(report)
	if err != nil {
		return err
	}
	if b.target.complete() {
		report.step("already built: %s", b.target.binary())
	} else if _, err := b.ensure(); err != nil {
		return err
	} else {
		report.step("built: %s", b.target.binary())
	}
	if *printAssets {
		fmt.Println(b.target.assets())
	}
	return nil
}
