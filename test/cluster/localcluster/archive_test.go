// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func pauseArchive(t *testing.T, program string) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := writePauseArchive(&out, []byte(program)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestPauseArchive(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pause.tar")
	writeTestFile(t, path, string(pauseArchive(t, "program")))
	content, err := readArchived(path, "manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var images []archivedImage
	if err := json.Unmarshal(content, &images); err != nil {
		t.Fatal(err)
	}
	configContent, err := readArchived(path, images[0].Config)
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Config struct{ Entrypoint []string }
		RootFS struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	if err := json.Unmarshal(configContent, &config); err != nil {
		t.Fatal(err)
	}
	layer, err := readArchived(path, images[0].Layers[0])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{digest(layer)}, config.RootFS.DiffIDs); diff != "" {
		t.Errorf("layer digests (-want +got):\n%s", diff)
	}
	header, err := tar.NewReader(bytes.NewReader(layer)).Next()
	if err != nil || "/"+header.Name != config.Config.Entrypoint[0] || header.Mode != 0o755 {
		t.Errorf("the entry point %v is not an executable file of the layer: %v, %v", config.Config.Entrypoint, header, err)
	}
}

func TestImageDigestsFollowTheContent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	digestOf := func(name, content string) string {
		path := filepath.Join(dir, name)
		writeTestFile(t, path, content)
		digests, err := imageDigests(path)
		if err != nil {
			t.Fatal(err)
		}
		return digests[pauseImage]
	}
	var compressed bytes.Buffer
	writer := gzip.NewWriter(&compressed)
	if _, err := writer.Write(pauseArchive(t, "one")); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	one := digestOf("one.tar", string(pauseArchive(t, "one")))
	if again := digestOf("again.tar", string(pauseArchive(t, "one"))); again != one {
		t.Errorf("the same content has digests %s and %s", one, again)
	}
	if zipped := digestOf("one.tar.gz", compressed.String()); zipped != one {
		t.Errorf("compressed, the digest is %s instead of %s", zipped, one)
	}
	if two := digestOf("two.tar", string(pauseArchive(t, "two"))); two == one {
		t.Error("other content has the same digest")
	}
}

func TestImageDigestsErrors(t *testing.T) {
	t.Parallel()
	tarOf := func(files map[string]string) string {
		var out bytes.Buffer
		archive := tar.NewWriter(&out)
		for name, content := range files {
			if err := addTarFile(archive, name, 0o644, []byte(content)); err != nil {
				t.Fatal(err)
			}
		}
		if err := archive.Close(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	tests := map[string]struct{ content, want string }{
		"no archive":    {"hello", "unexpected EOF"},
		"no manifest":   {tarOf(map[string]string{"x": ""}), "no image archive in docker format: it has no manifest.json"},
		"bad manifest":  {tarOf(map[string]string{"manifest.json": "{"}), "read manifest.json"},
		"missing part":  {tarOf(map[string]string{"manifest.json": `[{"Config":"c.json","RepoTags":["a"]}]`}), "it has no c.json"},
		"nameless":      {tarOf(map[string]string{"manifest.json": `[{"Config":"c.json"}]`, "c.json": "{}"}), "names no image"},
		"damaged gzip":  {"\x1f\x8b but no more", "read "},
		"empty archive": {tarOf(nil), "it has no manifest.json"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "x.tar")
			writeTestFile(t, path, tt.content)
			if _, err := imageDigests(path); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want one with %q", err, tt.want)
			}
		})
	}
	if _, err := imageDigests(filepath.Join(t.TempDir(), "absent.tar")); !os.IsNotExist(err) {
		t.Errorf("error of an absent file = %v", err)
	}
}

func TestFullImageName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"alpine:3":                    "docker.io/library/alpine:3",
		"local/hello:1":               "docker.io/local/hello:1",
		"docker.io/local/hello:1":     "docker.io/local/hello:1",
		"localhost/x:1":               "localhost/x:1",
		"registry.example:5000/a/b:1": "registry.example:5000/a/b:1",
	} {
		if got := fullImageName(name); got != want {
			t.Errorf("fullImageName(%s) = %s, want %s", name, got, want)
		}
	}
}
