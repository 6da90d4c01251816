// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Image is what an archive holds.
type Image struct {
	Tags   []string // full names: docker.io/sparkgate/spark:4.1
	Arch   string   // as Go calls it: amd64, arm64
	Config Config
	Layers []Blob // lowest first
}

// Config is how containers of the image run.
type Config = v1.Config

// Write writes the image to file, which appears only when it is complete, and returns the image's id: the SHA-256 of its
// configuration, hex.
func Write(file string, image Image) (string, error) {
	built, err := image.build()
	if err != nil {
		return "", fmt.Errorf("write %s: %w", file, err)
	}
	var refs []name.Tag
	for _, tag := range image.Tags {
		ref, err := name.NewTag(tag)
		if err != nil {
			return "", fmt.Errorf("name of the image: %w", err)
		}
		refs = append(refs, ref)
	}
	if len(refs) == 0 {
		return "", fmt.Errorf("write %s: the image has no name", file)
	}
	if err := replace(file, func(out io.Writer) error { return writeTagged(out, built, refs) }); err != nil {
		return "", fmt.Errorf("write %s: %w", file, err)
	}
	id, err := built.ConfigName()
	return id.Hex, err
}

// writeTagged writes the archive of an image with its names in their order. The library takes several names as a map, and writes them in
// another order each time, so it writes one, and the others are added to what it has written.
func writeTagged(out io.Writer, image v1.Image, refs []name.Tag) error {
	in, written := io.Pipe()
	defer in.Close()
	go func() { written.CloseWithError(tarball.Write(refs[0], image, written)) }()
	from, to := tar.NewReader(in), tar.NewWriter(out)
	for {
		header, err := from.Next()
		if errors.Is(err, io.EOF) {
			return to.Close()
		}
		if err != nil {
			return err
		}
		var content io.Reader = from
		if header.Name == "manifest.json" {
			renamed, err := withNames(from, refs)
			if err != nil {
				return err
			}
			header.Size, content = int64(len(renamed)), bytes.NewReader(renamed)
		}
		if err := to.WriteHeader(header); err != nil {
			return err
		}
		if _, err := io.Copy(to, content); err != nil {
			return err
		}
	}
}

// withNames returns an archive's list of images with these names.
func withNames(in io.Reader, refs []name.Tag) ([]byte, error) {
	var manifest tarball.Manifest
	if err := json.NewDecoder(in).Decode(&manifest); err != nil {
		return nil, err
	}
	for i := range manifest {
		manifest[i].RepoTags = nil
		for _, ref := range refs {
			manifest[i].RepoTags = append(manifest[i].RepoTags, ref.String())
		}
	}
	return json.Marshal(manifest)
}

// build describes the image; its layers are read when it is written.
func (image Image) build() (v1.Image, error) {
	built, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
		Architecture: image.Arch, OS: "linux", Created: v1.Time{Time: Epoch}, Config: image.Config, RootFS: v1.RootFS{Type: "layers"},
	})
	if err != nil {
		return nil, err
	}
	for _, blob := range image.Layers {
		if built, err = mutate.AppendLayers(built, uncompressed(blob)); err != nil {
			return nil, err
		}
	}
	return built, nil
}

// uncompressed is a layer that stays as it is: the archive is read on this machine, and compressing takes minutes.
type uncompressed Blob

func (l uncompressed) Digest() (v1.Hash, error) {
	return v1.Hash{Algorithm: "sha256", Hex: l.SHA256}, nil
}
func (l uncompressed) DiffID() (v1.Hash, error)             { return l.Digest() }
func (l uncompressed) Compressed() (io.ReadCloser, error)   { return os.Open(l.Path) }
func (l uncompressed) Uncompressed() (io.ReadCloser, error) { return os.Open(l.Path) }
func (l uncompressed) MediaType() (types.MediaType, error)  { return types.DockerUncompressedLayer, nil }
func (l uncompressed) Size() (int64, error) {
	info, err := os.Stat(l.Path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// replace writes FILE.part and renames it, so that no reader ever gets half of a file, and what a killed writer left is
// overwritten by the next.
func replace(file string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	part := file + ".part"
	out, err := os.Create(part)
	if err != nil {
		return err
	}
	if err := errors.Join(write(out), out.Close()); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return os.Rename(part, file)
}

// Summary is what Inspect returns of an archive.
type Summary struct {
	ID     string
	Labels map[string]string
}

// Inspect reads the configuration of an archive.
func Inspect(file string) (Summary, error) {
	image, err := tarball.ImageFromPath(file, nil)
	if err != nil {
		return Summary{}, fmt.Errorf("read %s: %w", file, err)
	}
	id, err := image.ConfigName()
	if err != nil {
		return Summary{}, fmt.Errorf("read %s: %w", file, err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		return Summary{}, fmt.Errorf("read %s: %w", file, err)
	}
	return Summary{ID: id.Hex, Labels: config.Config.Labels}, nil
}
