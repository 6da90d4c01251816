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

const systemDisk = 4 << 30 // bytes: module downloads, build cache and programs

// system is foreign software that tests run as plain processes. Its Go module
// in test/systems pins one version, and names the programs by `tool` lines.
type system struct {
	name      string
	title     string
	module    string   // that holds the programs
	manifests []string // folders of that module that tests apply
	takes     string   // the first time, with the modules downloaded and Kubernetes in the build cache
}

func systems() []system {
	all := []system{
		{"kueue", "Kueue", "sigs.k8s.io/kueue", []string{"config/components/crd", "config/components/webhook"}, "4 minutes"},
		{"volcano", "Volcano", "volcano.sh/volcano", []string{"config/crd/volcano/bases", "config/crd/jobflow/bases", "installer/helm/chart/volcano/config"}, "5 minutes"},
		{"yunikorn", "YuniKorn", "github.com/apache/yunikorn-k8shim", nil, "4 minutes"},
		{"flux-source", "Flux's source-controller", "github.com/fluxcd/source-controller", []string{"config/crd/bases"}, "6 minutes"},
		{"flux-kustomize", "Flux's kustomize-controller", "github.com/fluxcd/kustomize-controller", []string{"config/crd/bases"}, "4 minutes"},
		{"flux-helm", "Flux's helm-controller", "github.com/fluxcd/helm-controller", []string{"config/crd/bases"}, "4 minutes"},
		{"flux-notification", "Flux's notification-controller", "github.com/fluxcd/notification-controller", []string{"config/crd/bases"}, "5 minutes"},
		{"argocd", "Argo CD", "github.com/argoproj/argo-cd/v3", []string{"manifests/crds"}, "12 minutes"},
		{"helm", "Helm", "helm.sh/helm/v4", nil, "2 minutes"},
		{"versitygw", "Versity's S3 gateway", "github.com/versity/versitygw", nil, "3 minutes"},
	}
	for _, minor := range otherMinors {
		all = append(all, system{"kubernetes-" + minor, "Kubernetes", "k8s.io/kubernetes", nil, "8 minutes"})
	}
	return all
}

// systemBuilder compiles a system. In its folder, programs lie in bin/, and
// manifests in manifests/ under their own paths.
type systemBuilder struct {
	goModule
	system
	once
	report *reporter
}

func newSystemBuilder(name string, report *reporter) (*systemBuilder, error) {
	own, err := findModule()
	if err != nil {
		return nil, err
	}
	b := &systemBuilder{report: report}
	if b.system, err = findSystem(name); err != nil {
		return nil, err
	}
	if b.goModule, err = newGoModule(filepath.Join(own, "..", "systems", name)); err != nil {
		return nil, err
	}
	key, err := b.key(strings.Join(b.manifests, " "))
	if err != nil {
		return nil, err
	}
	if b.root, err = cacheFolder("systems"); err != nil {
		return nil, err
	}
	b.dir = filepath.Join(b.root, name+"-"+key)
	b.once.complete = func() bool { return exists(b.dir) } // it is renamed when it is whole
	return b, nil
}

func findSystem(name string) (system, error) {
	var names []string
	for _, s := range systems() {
		if s.name == name {
			return s, nil
		}
		names = append(names, s.name)
	}
	return system{}, fmt.Errorf("no system %q to build: name some of %s, or none for Kubernetes", name, strings.Join(names, ", "))
}

// ensure builds what the cache does not hold.
func (b *systemBuilder) ensure() error { return b.once.ensure(b.report, b.build) }

func (b *systemBuilder) build(dir string) error {
	if err := b.checkDisk(systemDisk, b.root, "build "+b.title); err != nil {
		return err
	}
	version, err := b.output("list", "-m", "-f", "{{.Version}}", b.system.module)
	if err != nil {
		return err
	}
	b.report.step("building %s %s from its Go modules: about %s the first time on 2 cores, and the downloads; seconds when the build cache has it", b.title, version, b.takes)
	progress := &compileProgress{}
	if err := progress.count(b.report, b.goCommand("list", "-deps", "tool")); err != nil {
		return fmt.Errorf("resolve the modules of %s: %w", b.title, err)
	}
	programs := filepath.Join(dir, "bin") + string(filepath.Separator)
	flags, err := b.linkerFlags()
	if err != nil {
		return err
	}
	compile := b.goCommand("build", "-v", "-ldflags", flags, "-o", programs, "tool")
	if err := progress.run(b.report, compile); err != nil {
		return fmt.Errorf("compile %s: %w", b.title, err)
	}
	return b.copyManifests(dir)
}

// linkerFlags set the version where Kubernetes reports it.
func (b *systemBuilder) linkerFlags() (string, error) {
	if b.system.module != "k8s.io/kubernetes" {
		return "-s -w", nil
	}
	goMod, err := os.ReadFile(filepath.Join(b.goModule.module, "go.mod"))
	if err != nil {
		return "", err
	}
	return linkerFlags(string(goMod))
}

// copyManifests makes the folder independent of the module cache.
func (b *systemBuilder) copyManifests(dir string) error {
	if len(b.manifests) == 0 {
		return nil
	}
	source, err := b.output("list", "-m", "-f", "{{.Dir}}", b.system.module)
	if err != nil {
		return err
	}
	if source == "" {
		return errors.New("the module " + b.system.module + " is not in the module cache although it was compiled")
	}
	for _, folder := range b.manifests {
		if err := os.CopyFS(filepath.Join(dir, "manifests", folder), os.DirFS(filepath.Join(source, folder))); err != nil {
			return fmt.Errorf("copy manifests of %s: %w", b.title, err)
		}
	}
	return nil
}
