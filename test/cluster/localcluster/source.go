// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

const modulePath = "github.com/sparkgate/sparkgate/test/cluster"

// findModule returns the folder of this Go module: around the working
// directory, around the running program, or where the program was compiled.
func findModule() (string, error) {
	var starts []string
	if dir, err := os.Getwd(); err == nil {
		starts = append(starts, dir)
	}
	if file, err := os.Executable(); err == nil {
		starts = append(starts, filepath.Dir(file))
	}
	if _, file, _, ok := runtime.Caller(0); ok {
		starts = append(starts, filepath.Dir(file))
	}
	for _, start := range starts {
		if dir := moduleAround(start); dir != "" {
			return dir, nil
		}
	}
	return "", errors.New("the folder test/cluster is not found: run from a checkout of the project")
}

// moduleAround looks in dir and its parents, and in test/cluster of each.
func moduleAround(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		for _, candidate := range []string{dir, filepath.Join(dir, "test", "cluster")} {
			content, err := os.ReadFile(filepath.Join(candidate, "go.mod"))
			if err == nil && strings.Contains(string(content), "module "+modulePath+"\n") {
				return candidate
			}
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// sourceKey names what a build depends on: module files, sources, compiler
// and linker settings. Equal keys mean equal binaries.
func sourceKey(module, goVersion string, linkerFlags string) (string, error) {
	files := []string{"go.mod", "go.sum"}
	for _, pattern := range []string{"allinone/*.go", "pause/*.go"} {
		matches, err := filepath.Glob(filepath.Join(module, pattern))
		if err != nil {
			return "", err
		}
		for _, match := range matches {
			if !strings.HasSuffix(match, "_test.go") {
				files = append(files, strings.TrimPrefix(match, module+"/"))
			}
		}
	}
	slices.Sort(files)
	hash := sha256.New()
	fmt.Fprintf(hash, "%s\n%s\n", goVersion, linkerFlags)
	for _, name := range files {
		content, err := os.ReadFile(filepath.Join(module, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%s %d\n", name, len(content))
		hash.Write(content) // never fails
	}
	return hex.EncodeToString(hash.Sum(nil)[:8]), nil
}

var kubernetesRequirement = regexp.MustCompile(`(?m)^\s*(?:require )?k8s\.io/kubernetes (v(\d+)\.(\d+)\.\S+)(?: // indirect)?$`)

// kubernetesVersion reads the version that go.mod requires.
func kubernetesVersion(goMod string) (version, major, minor string, err error) {
	match := kubernetesRequirement.FindStringSubmatch(goMod)
	if match == nil {
		return "", "", "", errors.New("go.mod does not require k8s.io/kubernetes")
	}
	return match[1], match[2], match[3], nil
}

// linkerFlags set the version that Kubernetes reports: without it clients see
// v0.0.0 and refuse.
func linkerFlags(goMod string) (string, error) {
	version, major, minor, err := kubernetesVersion(goMod)
	if err != nil {
		return "", err
	}
	flags := []string{"-s", "-w"}
	for _, variables := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		for _, setting := range [][2]string{
			{"gitVersion", version}, {"gitMajor", major}, {"gitMinor", minor}, {"gitTreeState", "clean"},
		} {
			flags = append(flags, "-X", variables+"."+setting[0]+"="+setting[1])
		}
	}
	return strings.Join(flags, " "), nil
}

// goTool finds the go command, also where `sudo` has shortened PATH.
func goTool() (string, error) {
	if path, err := exec.LookPath("go"); err == nil {
		return path, nil
	}
	return "", errors.New("the go command is not in PATH: install Go and add its bin folder to PATH")
}
