// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// members reads a tar into its names, in order, and contents.
func members(t *testing.T, data []byte) ([]tar.Header, map[string][]byte) {
	t.Helper()
	var headers []tar.Header
	contents := map[string][]byte{}
	for reader := tar.NewReader(bytes.NewReader(data)); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return headers, contents
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		headers = append(headers, *header)
		contents[header.Name] = content
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func sha(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func testImage(t *testing.T) Image {
	t.Helper()
	image := Image{
		Tags:   []string{"docker.io/local/hello:1", "docker.io/local/hello:1.0"},
		Arch:   "arm64",
		Config: Config{User: "185", Env: []string{"A=b"}, Entrypoint: []string{"/hello"}, WorkingDir: "/w", Labels: map[string]string{"key": "value"}},
	}
	for i, text := range []string{"lower", "upper"} {
		var layer Layer
		layer.Bytes("file", 0o644, []byte(text))
		blob, err := layer.Write(filepath.Join(t.TempDir(), "layer.tar"), nil)
		if err != nil {
			t.Fatalf("layer %d: %v", i, err)
		}
		image.Layers = append(image.Layers, blob)
	}
	return image
}

// config is what is read of an image's configuration.
type config struct {
	Architecture, OS, Created string
	Config                    Config
	RootFS                    struct {
		Type    string
		DiffIDs []string `json:"diff_ids"`
	}
}

// index is what is read of manifest.json.
type index struct {
	Config           string
	RepoTags, Layers []string
}

func decode[T any](t *testing.T, data []byte) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestArchiveIsWhatRuntimesImport(t *testing.T) {
	t.Parallel()
	image, file := testImage(t), filepath.Join(t.TempDir(), "new", "image.tar")
	id, err := Write(file, image)
	if err != nil {
		t.Fatal(err)
	}
	headers, contents := members(t, read(t, file))
	if first, last := headers[0].Name, headers[len(headers)-1].Name; first != "sha256:"+id || last != "manifest.json" {
		t.Errorf("first %s and last %s, want the configuration and manifest.json", first, last)
	}
	images := decode[[]index](t, contents["manifest.json"])
	if len(images) != 1 || len(images[0].Layers) != 2 || !slices.Equal(images[0].RepoTags, image.Tags) {
		t.Fatalf("manifest.json %+v, want one image with two layers and the tags %q", images, image.Tags)
	}
	if got := sha(contents[images[0].Config]); got != id || images[0].Config != "sha256:"+id {
		t.Errorf("configuration %s has the digest %s, and the id is %s", images[0].Config, got, id)
	}
	var want config
	want.Architecture, want.OS, want.Created, want.Config = "arm64", "linux", "2024-01-01T00:00:00Z", image.Config
	want.RootFS.Type = "layers"
	for i, text := range []string{"lower", "upper"} {
		layer := contents[images[0].Layers[i]]
		want.RootFS.DiffIDs = append(want.RootFS.DiffIDs, "sha256:"+sha(layer))
		if _, files := members(t, layer); string(files["file"]) != text {
			t.Errorf("layer %d has %q, want %q: order matters", i, files["file"], text)
		}
	}
	if got := decode[config](t, contents[images[0].Config]); !reflect.DeepEqual(got, want) {
		t.Errorf("configuration\n%+v\nwant\n%+v", got, want)
	}
}

func TestSameImageSameBytes(t *testing.T) {
	t.Parallel()
	var archives [][]byte
	for range 2 {
		file := filepath.Join(t.TempDir(), "image.tar")
		if _, err := Write(file, testImage(t)); err != nil {
			t.Fatal(err)
		}
		archives = append(archives, read(t, file))
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("two archives of the same image differ")
	}
}

func TestInspect(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "image.tar")
	id, err := Write(file, testImage(t))
	if err != nil {
		t.Fatal(err)
	}
	summary, err := Inspect(file)
	if err != nil || summary.ID != id || summary.Labels["key"] != "value" {
		t.Errorf("Inspect = %+v, %v; want id %s and the label", summary, err, id)
	}
	for name, content := range map[string]string{"empty": "", "no tar": "hello\n"} {
		broken := filepath.Join(t.TempDir(), "broken")
		if err := os.WriteFile(broken, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Inspect(broken); err == nil {
			t.Errorf("%s file: no error", name)
		}
	}
}

func TestFailedWriteLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	image := Image{Layers: []Blob{{Path: filepath.Join(dir, "missing"), SHA256: "00"}}}
	if _, err := Write(filepath.Join(dir, "image.tar"), image); err == nil {
		t.Fatal("no error for a missing layer")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("left %v, %v; want nothing", left, err)
	}
}
