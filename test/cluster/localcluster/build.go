// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	buildDisk = 6 << 30 // bytes: module downloads, build cache and binary
	upDisk    = 3 << 30 // bytes: images and the writable layers of pods
)

// built is a finished build in the user's cache folder.
type built struct {
	dir      string
	version  string // of Kubernetes
	programs string // folder with kubernetesPrograms of another minor; empty if the multi-call binary is all
}

func (b built) binary() string { return filepath.Join(b.dir, "allinone") }
func (b built) pause() string  { return filepath.Join(b.dir, "pause") }

// assets is a folder that serves as KUBEBUILDER_ASSETS.
func (b built) assets() string {
	if b.programs == "" {
		return filepath.Join(b.dir, "envtest")
	}
	return filepath.Join(b.dir, "envtest-"+filepath.Base(filepath.Dir(b.programs)))
}

// The multi-call binary acts by the name it is called with, so a link is
// enough of a wrapper. CRDs and controllers are tested with these three.
var assetNames = []string{"etcd", "kube-apiserver", "kubectl"}

func (b built) complete() bool {
	files := []string{b.binary(), b.pause()}
	if b.programs != "" {
		for _, name := range kubernetesPrograms {
			files = append(files, b.program(name))
		}
	}
	for _, file := range files {
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

// builder compiles Kubernetes.
type builder struct {
	goModule
	flags  string // for the linker
	root   string // cache folder of all builds
	own    built  // of this module
	target built  // own, or with the programs of another minor
	report *reporter
	// programs of another minor; nil if the target is own.
	programs *systemBuilder
}

func newBuilder(report *reporter) (*builder, error) {
	module, err := findModule()
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
	b := &builder{flags: flags, report: report}
	if b.goModule, err = newGoModule(module); err != nil {
		return nil, err
	}
	key, err := b.key(flags)
	if err != nil {
		return nil, err
	}
	if b.root, err = cacheFolder("cluster"); err != nil {
		return nil, err
	}
	version, major, minor, err := kubernetesVersion(string(goMod))
	if err != nil {
		return nil, err
	}
	b.own = built{dir: filepath.Join(b.root, key), version: version}
	b.target = b.own
	return b, b.chooseMinor(major + "." + minor)
}

// ensure builds what the cache does not hold.
func (b *builder) ensure() (built, error) {
	if err := (once{root: b.root, dir: b.own.dir, complete: b.own.complete}.ensure(b.report, b.build)); err != nil {
		return b.target, err
	}
	return b.target, b.ensureMinor()
}

// build leaves the binaries in a new folder.
func (b *builder) build(dir string) error {
	if err := b.checkDisk(buildDisk, b.root, "build Kubernetes"); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "envtest"), 0o755); err != nil {
		return err
	}
	b.report.step("building Kubernetes %s from its Go modules: 4 to 15 minutes the first time on 2 cores, seconds when the build cache has it", b.own.version)
	if err := b.compile(dir); err != nil {
		return err
	}
	for _, name := range assetNames {
		if err := os.Symlink("../allinone", filepath.Join(dir, "envtest", name)); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) compile(dir string) error {
	progress := &compileProgress{}
	if err := progress.count(b.report, b.goCommand("list", "-deps", "./allinone")); err != nil {
		return fmt.Errorf("resolve the modules of Kubernetes: %w", err)
	}
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

// runBuild implements `build [--print-assets] [SYSTEM...]`.
func runBuild(_ cluster, args []string) error {
	flags := newFlags("build")
	printAssets := flags.Bool("print-assets", false, "print only folders on standard output, progress on standard error: the one for KUBEBUILDER_ASSETS, or one for each system")
	if err := flags.Parse(args); err != nil {
		return errors.Join(errSilent, err)
	}
	out := os.Stdout
	if *printAssets {
		out = os.Stderr
	}
	folders, err := buildAll(newReporter(out, now()), flags.Args())
	if err != nil {
		return err
	}
	if *printAssets {
		fmt.Println(strings.Join(folders, "\n"))
	}
	return nil
}

// buildAll builds the systems, without names Kubernetes, and returns their folders.
func buildAll(report *reporter, names []string) ([]string, error) {
	if len(names) == 0 {
		b, err := newBuilder(report)
		if err != nil {
			return nil, err
		}
		tell := tellBuilt(report, b.target.complete())
		if _, err := b.ensure(); err != nil {
			return nil, err
		}
		tell(b.target.program(apiserver))
		return []string{b.target.assets()}, nil
	}
	var folders []string
	for _, name := range names {
		b, err := newSystemBuilder(name, report)
		if err != nil {
			return nil, err
		}
		tell := tellBuilt(report, b.complete())
		if err := b.ensure(); err != nil {
			return nil, err
		}
		tell(b.dir)
		folders = append(folders, b.dir)
	}
	return folders, nil
}

// tellBuilt returns what reports the end of a build.
func tellBuilt(report *reporter, before bool) func(path string) {
	if before {
		return func(path string) { report.step("already built: %s", path) }
	}
	return func(path string) { report.step("built: %s", path) }
}
