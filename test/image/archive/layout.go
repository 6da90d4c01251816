// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"archive/tar"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// WriteLayout writes one image for the platforms of several archives, as an OCI image layout in a tar archive, and returns its digest. work is
// an empty folder. The same archives give the same bytes.
func WriteLayout(file, work, name string, archives []string) (string, error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, platform := range archives {
		image, err := ociImage(platform)
		if err != nil {
			return "", fmt.Errorf("read %s: %w", platform, err)
		}
		config, err := image.ConfigFile()
		if err != nil {
			return "", fmt.Errorf("read %s: %w", platform, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: config.OS, Architecture: config.Architecture}},
		})
	}
	path, err := layout.Write(work, empty.Index)
	if err != nil {
		return "", err
	}
	if err := path.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": name})); err != nil {
		return "", err
	}
	if err := replace(file, func(out io.Writer) error { return pack(out, work) }); err != nil {
		return "", fmt.Errorf("write %s: %w", file, err)
	}
	digest, err := index.Digest()
	return digest.String(), err
}

// ociImage returns the image of an archive with layers as registries want them: compressed.
func ociImage(file string) (v1.Image, error) {
	stored, err := tarball.ImageFromPath(file, nil)
	if err != nil {
		return nil, err
	}
	config, err := stored.ConfigFile()
	if err != nil {
		return nil, err
	}
	layers, err := stored.Layers()
	if err != nil {
		return nil, err
	}
	begin := config.DeepCopy()
	begin.RootFS.DiffIDs, begin.History = nil, nil
	image, err := mutate.ConfigFile(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON), begin)
	if err != nil {
		return nil, err
	}
	for _, layer := range layers {
		compressed, err := tarball.LayerFromOpener(layer.Uncompressed, tarball.WithMediaType(types.OCILayer))
		if err != nil {
			return nil, err
		}
		if image, err = mutate.AppendLayers(image, compressed); err != nil {
			return nil, err
		}
	}
	return image, nil
}

// pack writes a folder as a tar archive that has neither times nor owners, in the order of names.
func pack(out io.Writer, dir string) error {
	archive := tar.NewWriter(out)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if err := archive.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Size: info.Size(), Mode: 0o644, ModTime: Epoch, Format: tar.FormatUSTAR}); err != nil {
			return err
		}
		in, err := os.Open(path)
		if err != nil {
			return err
		}
		defer in.Close()
		_, err = io.Copy(archive, in)
		return err
	})
	if err != nil {
		return err
	}
	return archive.Close()
}
