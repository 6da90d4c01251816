// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// runInstall implements `install [PACKAGE...]`: the packages whose programs
// are missing, and those of the given packages that are not installed.
func runInstall(_ cluster, args []string) error {
	report := newReporter(os.Stdout, now())
	missing := missingPackages(requirements)
	for _, deb := range args {
		if strings.HasPrefix(deb, "-") {
			return fmt.Errorf("install takes names of Debian packages, not %q", deb)
		}
		if !debInstalled(deb) && !slices.Contains(missing, deb) {
			missing = append(missing, deb)
		}
	}
	if len(missing) == 0 {
		report.step("all Debian packages are there")
		return nil
	}
	list := strings.Join(missing, " ")
	if err := requireRoot("installing " + list); err != nil {
		return err
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return fmt.Errorf("apt-get is not there, only Debian and its relatives are supported: install %s by other means", list)
	}
	report.step("installing %s", list)
	if err := installDebs(report, missing); err != nil {
		return err
	}
	if err := requireTools(); err != nil {
		return err
	}
	report.step("installed %s", list)
	return nil
}

func debInstalled(deb string) bool {
	output, err := exec.Command("dpkg-query", "--show", "--showformat=${db:Status-Status}", deb).Output()
	return err == nil && string(output) == "installed"
}

func installDebs(report *reporter, debs []string) (err error) {
	restore, err := forbidServices(policyFile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, restore()) }()
	// A source that cannot be reached need not matter: whether the packages
	// can be had shows in the next step.
	_ = aptGet(report, "reading package lists", "update")
	return aptGet(report, "installing packages", append([]string{"install", "--yes", "--no-install-recommends"}, debs...)...)
}

func aptGet(report *reporter, what string, args ...string) error {
	command := exec.Command("apt-get", append([]string{"-q", "-o", "DPkg::Lock::Timeout=300"}, args...)...)
	command.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C")
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := report.during(func() string { return what }, command.Run); err != nil {
		return fmt.Errorf("apt-get %s failed (no network, or package lists out of reach?): %s", args[0], aptReason(output.String()))
	}
	return nil
}

// aptReason picks apt's own error lines out of its output.
func aptReason(output string) string {
	var reasons []string
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, "E: ") {
			reasons = append(reasons, strings.TrimSpace(strings.TrimPrefix(line, "E: ")))
		}
	}
	if len(reasons) == 0 {
		return "no reason given"
	}
	return strings.Join(reasons[:min(2, len(reasons))], "; ")
}

// Debian asks this program before a package starts its service; 101 says no.
// The cluster runs a containerd of its own and never that of the machine.
const (
	policyFile   = "/usr/sbin/policy-rc.d"
	policyScript = "#!/bin/sh\n# Written by localcluster for the time of an installation.\nexit 101\n"
)

// forbidServices keeps freshly installed services from being started until
// restore is called. A policy of the machine's own is respected; one that a
// killed installation left behind is taken over.
func forbidServices(path string) (restore func() error, err error) {
	current, err := os.ReadFile(path)
	switch {
	case err == nil && string(current) != policyScript:
		return func() error { return nil }, nil
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755)
	if err != nil {
		return nil, err
	}
	_, err = io.WriteString(file, policyScript)
	return func() error { return os.Remove(path) }, errors.Join(err, file.Close())
}
