// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// contentLabel on an image in containerd's store holds the digest by which
// imageDigests knows it.
const contentLabel = "sparkgate.io/content"

// runLoad implements `load FILE.tar...`.
func runLoad(c cluster, args []string) error {
	if len(args) == 0 {
		return errors.New("load needs image archives: run `localcluster load FILE.tar...`")
	}
	if err := requireRoot("load"); err != nil {
		return err
	}
	if _, err := os.Stat(c.containerdSocket()); err != nil {
		return c.notUp()
	}
	report := newReporter(os.Stdout, now())
	for _, file := range args {
		if err := c.loadImage(report, file); err != nil {
			return err
		}
	}
	return nil
}

// loadImage imports the archive unless each of its images is in the store
// with the same content.
func (c cluster) loadImage(report *reporter, file string) error {
	digests, err := imageDigests(file)
	if err != nil {
		return err
	}
	there, err := c.imagesPresent(digests)
	if err != nil {
		return err
	}
	if there {
		report.step("image %s: already there", names(digests))
		return nil
	}
	line := func() string { return "importing " + filepath.Base(file) }
	err = report.during(line, func() error {
		_, err := c.ctr("images", "import", file)
		return err
	})
	if err != nil {
		return err
	}
	for name, digest := range digests {
		if _, err := c.ctr("images", "label", name, contentLabel+"="+digest); err != nil {
			return err
		}
	}
	report.step("image %s: imported", names(digests))
	return nil
}

func (c cluster) imagesPresent(digests map[string]string) (bool, error) {
	for name, digest := range digests {
		output, err := c.ctr("images", "list", "name=="+name)
		if err != nil {
			return false, err
		}
		if !strings.Contains(output, contentLabel+"="+digest) {
			return false, nil
		}
	}
	return true, nil
}

func names(digests map[string]string) string { return strings.Join(sortedKeys(digests), ", ") }

// ctr talks to containerd in the namespace that the kubelet uses.
func (c cluster) ctr(args ...string) (string, error) {
	command := exec.Command("ctr", append([]string{"--address", c.containerdSocket(), "--namespace", "k8s.io"}, args...)...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("ctr %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return string(output), nil
}

// loadPauseImage imports the sandbox image, made from the static program.
func (c cluster) loadPauseImage(report *reporter, program string) error {
	content, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := writePauseArchive(&archive, content); err != nil {
		return err
	}
	path := c.path("pause.tar")
	if err := writeFile(path, archive.Bytes()); err != nil {
		return err
	}
	return errors.Join(c.loadImage(report, path), os.Remove(path))
}

// pickSnapshotter returns overlayfs where the state folder's filesystem can
// carry an overlay, and the slower native where it cannot (a folder that is
// on an overlay itself).
func (c cluster) pickSnapshotter() string {
	probe := c.path("overlay-probe")
	defer os.RemoveAll(probe)
	dirs := map[string]string{}
	for _, name := range []string{"lower", "upper", "work", "merged"} {
		dirs[name] = filepath.Join(probe, name)
		if err := os.MkdirAll(dirs[name], 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return "overlayfs"
		}
	}
	options := "lowerdir=" + dirs["lower"] + ",upperdir=" + dirs["upper"] + ",workdir=" + dirs["work"]
	if exec.Command("mount", "-t", "overlay", "overlay", "-o", options, dirs["merged"]).Run() != nil {
		return "native"
	}
	if unmountBelow(dirs["merged"]) != nil {
		return "native"
	}
	return "overlayfs"
}
