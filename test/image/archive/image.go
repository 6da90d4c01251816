// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Image is what an archive holds.
type Image struct {
	Tags   []string // full names: docker.io/sparkgate/spark:4.1
	Arch   string   // as Go calls it: amd64, arm64
	Config Config
	Layers []Blob // lowest first
}

// Config is the part of the image's configuration that a container runtime
// uses; empty fields are left out.
type Config struct {
	User       string            `json:"User,omitempty"`
	Env        []string          `json:"Env,omitempty"`
	Entrypoint []string          `json:"Entrypoint,omitempty"`
	WorkingDir string            `json:"WorkingDir,omitempty"`
	Labels     map[string]string `json:"Labels,omitempty"`
}

type document struct {
	Architecture string    `json:"architecture"`
	Created      time.Time `json:"created"`
	OS           string    `json:"os"`
	Config       Config    `json:"config"`
	RootFS       rootFS    `json:"rootfs"`
}

type rootFS struct {
	Type    string   `json:"type"`
	DiffIDs []string `json:"diff_ids"`
}

type manifest struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// Write writes the image to file, which appears only when it is complete, and
// returns the image's id: the SHA-256 of its configuration, hex.
//
// The configuration is the first entry and manifest.json the last.
func Write(file string, image Image) (string, error) {
	config, err := json.Marshal(image.document())
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(config)
	id := hex.EncodeToString(sum[:])
	if err := replace(file, func(out io.Writer) error { return image.write(out, id, config) }); err != nil {
		return "", fmt.Errorf("write %s: %w", file, err)
	}
	return id, nil
}

func (image Image) document() document {
	d := document{Architecture: image.Arch, Created: Epoch, OS: "linux", Config: image.Config}
	d.RootFS.Type = "layers"
	for _, layer := range image.Layers {
		d.RootFS.DiffIDs = append(d.RootFS.DiffIDs, "sha256:"+layer.SHA256)
	}
	return d
}

func (image Image) write(out io.Writer, id string, config []byte) error {
	w := tar.NewWriter(out)
	m := manifest{Config: id + ".json", RepoTags: image.Tags}
	if err := member(w, m.Config, config); err != nil {
		return err
	}
	for _, layer := range image.Layers {
		name := layer.SHA256 + ".tar"
		m.Layers = append(m.Layers, name)
		if err := copyLayer(w, name, layer.Path); err != nil {
			return err
		}
	}
	index, err := json.Marshal([]manifest{m})
	if err != nil {
		return err
	}
	if err := member(w, "manifest.json", index); err != nil {
		return err
	}
	return w.Close()
}

func member(w *tar.Writer, name string, data []byte) error {
	header := tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(data)), ModTime: Epoch}
	if err := w.WriteHeader(&header); err != nil {
		return err
	}
	_, err := w.Write(data)
	return err
}

func copyLayer(w *tar.Writer, name, file string) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	header := tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: info.Size(), ModTime: Epoch}
	if err := w.WriteHeader(&header); err != nil {
		return err
	}
	_, err = io.Copy(w, in)
	return err
}

// replace writes FILE.part and renames it, so that nobody ever reads half of a
// file, and what a killed writer left is overwritten by the next.
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

// Summary is what Inspect tells about an archive.
type Summary struct {
	ID     string
	Labels map[string]string
}

// Inspect reads the configuration of an archive that Write wrote. It reads
// only the beginning of the file.
func Inspect(file string) (Summary, error) {
	in, err := os.Open(file)
	if err != nil {
		return Summary{}, err
	}
	defer in.Close()
	reader := tar.NewReader(in)
	header, err := reader.Next()
	if err != nil {
		return Summary{}, fmt.Errorf("read %s: %w", file, err)
	}
	var d document
	if err := json.NewDecoder(reader).Decode(&d); err != nil {
		return Summary{}, fmt.Errorf("read %s: %s is not the configuration of an image: %w", file, header.Name, err)
	}
	return Summary{ID: strings.TrimSuffix(header.Name, ".json"), Labels: d.Config.Labels}, nil
}
