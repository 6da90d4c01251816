// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// TestLayout joins two platforms to one image, reads it again, and does it once more: the bytes are the same.
func TestLayout(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var archives []string
	for arch, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		b := binaryImage{
			name: "docker.io/local/hello:1", binary: program(t, machine, elf.PT_LOAD), entrypoint: "/hello", user: "65532",
			out: filepath.Join(dir, arch+".tar"),
		}
		if _, err := b.write(); err != nil {
			t.Fatal(err)
		}
	}
	archives = append(archives, filepath.Join(dir, "amd64.tar"), filepath.Join(dir, "arm64.tar"))
	var written [2][]byte
	for i := range written {
		out := filepath.Join(t.TempDir(), "hello.oci.tar")
		if err := buildLayout(append([]string{"--name", "docker.io/local/hello:1", "--out", out}, archives...)); err != nil {
			t.Fatal(err)
		}
		var err error
		if written[i], err = os.ReadFile(out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(written[0], written[1]) {
		t.Error("the same archives give two different layouts")
	}
	checkLayout(t, written[0])
}

// checkLayout unpacks a layout and checks every digest in it.
func checkLayout(t *testing.T, content []byte) {
	t.Helper()
	dir := t.TempDir()
	unpack := exec.Command("tar", "--extract", "--directory", dir)
	unpack.Stdin = bytes.NewReader(content)
	if output, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	root, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := root.IndexManifest()
	if err != nil || len(manifest.Manifests) != 1 || manifest.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "docker.io/local/hello:1" {
		t.Fatalf("layout holds %+v, %v; want the image by its name", manifest, err)
	}
	index, err := root.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	platforms, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range platforms.Manifests {
		found = append(found, m.Platform.String())
	}
	if got := strings.Join(found, " "); got != "linux/amd64 linux/arm64" {
		t.Errorf("platforms %q", got)
	}
}

func TestLayoutIsRefused(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"needs --name": {"--out", "a", "b"},
		"no such file": {"--out", filepath.Join(t.TempDir(), "a"), "--name", "docker.io/local/hello:1", "missing.tar"},
	} {
		if err := buildLayout(args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", args, err, want)
		}
	}
}
