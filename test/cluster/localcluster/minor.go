// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// minorVariable chooses the minor version of Kubernetes, such as 1.31. Without
// it, it is that of this module.
const minorVariable = "SPARKGATE_KUBERNETES"

// otherMinors can be chosen beside that of this module. Each has a Go module
// test/systems/kubernetes-<minor>.
var otherMinors = []string{"1.31", "1.32", "1.33", "1.34", "1.35"}

// kubernetesPrograms are those of the chosen minor. etcd, CoreDNS and kubectl
// are always those of this module.
var kubernetesPrograms = []string{apiserver, controllerManager, scheduler, kubelet, kubeProxy}

// minorFrom reads the variable; empty is the minor of this module, own.
func minorFrom(getenv func(string) string, own string) (string, error) {
	switch minor := getenv(minorVariable); {
	case minor == "" || minor == own:
		return "", nil
	case slices.Contains(otherMinors, minor):
		return minor, nil
	default:
		return "", fmt.Errorf("%s=%s cannot be built: set it to one of %s, or to %s", minorVariable, minor, strings.Join(otherMinors, ", "), own)
	}
}

// chooseMinor replaces the target of the builder by the minor that is asked for.
func (b *builder) chooseMinor(own string) error {
	minor, err := minorFrom(os.Getenv, own)
	if err != nil || minor == "" {
		return err
	}
	if b.programs, err = newSystemBuilder("kubernetes-"+minor, b.report); err != nil {
		return err
	}
	goMod, err := os.ReadFile(filepath.Join(b.programs.goModule.module, "go.mod"))
	if err != nil {
		return err
	}
	b.target.programs = filepath.Join(b.programs.dir, "bin")
	b.target.version, _, _, err = kubernetesVersion(string(goMod))
	return err
}

// ensureMinor builds the programs of another minor, and the folder of their
// assets.
func (b *builder) ensureMinor() error {
	if b.programs == nil {
		return nil
	}
	if err := b.programs.ensure(); err != nil {
		return err
	}
	if err := os.MkdirAll(b.target.assets(), 0o755); err != nil {
		return err
	}
	for _, name := range assetNames {
		err := os.Symlink(b.target.program(name), filepath.Join(b.target.assets(), name))
		if err != nil && !errors.Is(err, os.ErrExist) { // another process does the same
			return err
		}
	}
	return nil
}

// minorOf returns the minor of a version: v1.31.4 is of v1.31.
func minorOf(version string) string { return version[:max(0, strings.LastIndex(version, "."))] }

// program returns the file that a program is run from.
func (b built) program(name string) string {
	if b.programs != "" && slices.Contains(kubernetesPrograms, name) {
		return filepath.Join(b.programs, name)
	}
	return b.binary()
}
