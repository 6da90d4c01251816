// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// archivedImage is an image in a docker-archive: a tar with manifest.json, a
// JSON configuration and a tar for each layer.
type archivedImage struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// writePauseArchive writes an image whose only file is the given static
// program. The same program makes the same archive.
func writePauseArchive(out io.Writer, program []byte) error {
	var layer bytes.Buffer
	layerTar := tar.NewWriter(&layer)
	if err := addTarFile(layerTar, "pause", 0o755, program); err != nil {
		return err
	}
	if err := layerTar.Close(); err != nil {
		return err
	}
	config, err := json.Marshal(object{
		"architecture": runtime.GOARCH,
		"os":           "linux",
		"config":       object{"Entrypoint": []string{"/pause"}, "User": "65535:65535"},
		"rootfs":       object{"type": "layers", "diff_ids": []string{digest(layer.Bytes())}},
		"history":      []object{{"created_by": "localcluster"}},
	})
	if err != nil {
		return err
	}
	configName := strings.TrimPrefix(digest(config), "sha256:") + ".json"
	manifest, err := json.Marshal([]archivedImage{{Config: configName, RepoTags: []string{pauseImage}, Layers: []string{"layer.tar"}}})
	if err != nil {
		return err
	}
	archive := tar.NewWriter(out)
	for _, file := range []struct {
		name    string
		content []byte
	}{{"layer.tar", layer.Bytes()}, {configName, config}, {"manifest.json", manifest}} {
		if err := addTarFile(archive, file.name, 0o644, file.content); err != nil {
			return err
		}
	}
	return archive.Close()
}

func addTarFile(archive *tar.Writer, name string, mode int64, content []byte) error {
	header := &tar.Header{Name: name, Mode: mode, Size: int64(len(content)), Format: tar.FormatUSTAR}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err := archive.Write(content)
	return err
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// imageDigests returns, for each image name in the archive, the digest of its
// configuration: it covers the digests of all layers and so identifies the
// content.
func imageDigests(path string) (map[string]string, error) {
	content, err := readArchived(path, "manifest.json")
	if err != nil {
		return nil, err
	}
	var images []archivedImage
	if err := json.Unmarshal(content, &images); err != nil {
		return nil, fmt.Errorf("read manifest.json of %s: %w", path, err)
	}
	digests := map[string]string{}
	for _, image := range images {
		config, err := readArchived(path, image.Config)
		if err != nil {
			return nil, err
		}
		for _, tag := range image.RepoTags {
			digests[fullImageName(tag)] = digest(config)
		}
	}
	if len(digests) == 0 {
		return nil, fmt.Errorf("%s names no image: write the names into RepoTags of its manifest.json", path)
	}
	return digests, nil
}

// fullImageName adds what a short name leaves out, as container runtimes do.
func fullImageName(name string) string {
	host, _, ok := strings.Cut(name, "/")
	switch {
	case !ok:
		return "docker.io/library/" + name
	case strings.ContainsAny(host, ".:") || host == "localhost":
		return name
	}
	return "docker.io/" + name
}

// readArchived returns one small file of a tar, which may be compressed by
// gzip. In an uncompressed one the other files are skipped by seeking.
func readArchived(path, name string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var source io.Reader = file
	magic := make([]byte, 2)
	if _, err := file.ReadAt(magic, 0); err == nil && bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		if source, err = gzip.NewReader(file); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
	}
	archive := tar.NewReader(source)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s is no image archive in docker format: it has no %s", path, name)
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		if strings.TrimPrefix(header.Name, "./") == name {
			return io.ReadAll(io.LimitReader(archive, 4<<20))
		}
	}
}
