// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"archive/tar"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// Epoch is the time of every file and image: a rebuilt image is the same image.
var Epoch = time.Unix(1_704_067_200, 0).UTC() // 2024-01-01

// Owner is the user and group of a file in the image.
type Owner struct{ UID, GID int }

// Root owns what no process in the container may change.
var Root = Owner{}

// An entry is one file of a layer; open is nil for everything but regular files.
type entry struct {
	header tar.Header
	open   func() (io.ReadCloser, error)
}

// Layer collects the files of one layer. Names have no leading slash; adding a
// name again replaces it. The zero value is empty and ready to use; it is not
// safe for concurrent use.
type Layer struct {
	entries map[string]entry
}

// Blob is a layer on disk.
type Blob struct {
	Path   string
	SHA256 string // of the uncompressed tar, hex: the diff id
}

func (l *Layer) add(e entry) {
	if l.entries == nil {
		l.entries = map[string]entry{}
	}
	e.header.Name = strings.Trim(path.Clean(e.header.Name), "/")
	l.entries[e.header.Name] = e
}

// Dir adds a directory.
func (l *Layer) Dir(name string, mode int64, owner Owner) {
	l.add(entry{header: tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: mode, Uid: owner.UID, Gid: owner.GID}})
}

// Symlink adds a symbolic link of root's.
func (l *Layer) Symlink(name, target string) {
	l.add(entry{header: tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: target, Mode: 0o777}})
}

// Bytes adds a regular file of root's.
func (l *Layer) Bytes(name string, mode int64, data []byte) {
	l.add(entry{
		header: tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: int64(len(data))},
		open:   func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
	})
}

// HostFile adds a regular file of root's with the content that file has when
// the layer is written.
func (l *Layer) HostFile(name string, mode int64, file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", file)
	}
	l.add(entry{
		header: tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: info.Size()},
		open:   func() (io.ReadCloser, error) { return os.Open(file) },
	})
	return nil
}

// Write writes the layer to file. Hard links come last, behind what they link
// to. count, if not nil, gets the length of every chunk of bytes.
func (l *Layer) Write(file string, count func(int)) (Blob, error) {
	out, err := os.Create(file)
	if err != nil {
		return Blob{}, err
	}
	defer out.Close()
	sum := sha256.New()
	writer := tar.NewWriter(io.MultiWriter(out, sum, counter(count)))
	for _, e := range l.sorted() {
		if err := e.write(writer); err != nil {
			return Blob{}, fmt.Errorf("layer entry %s: %w", e.header.Name, err)
		}
	}
	if err := errors.Join(writer.Close(), out.Close()); err != nil {
		return Blob{}, err
	}
	return Blob{Path: file, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}

// Size returns the number of bytes of all regular files.
func (l *Layer) Size() int64 {
	var size int64
	for _, e := range l.entries {
		size += e.header.Size
	}
	return size
}

func (l *Layer) sorted() []entry {
	all := make([]entry, 0, len(l.entries))
	for _, e := range l.entries {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b entry) int {
		if hard := compareBool(a.header.Typeflag == tar.TypeLink, b.header.Typeflag == tar.TypeLink); hard != 0 {
			return hard
		}
		return cmp.Compare(a.header.Name, b.header.Name)
	})
	return all
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func (e entry) write(w *tar.Writer) error {
	header := e.header
	header.ModTime = Epoch
	if header.Typeflag == tar.TypeDir {
		header.Name += "/"
	}
	if err := w.WriteHeader(&header); err != nil || e.open == nil {
		return err
	}
	content, err := e.open()
	if err != nil {
		return err
	}
	defer content.Close()
	_, err = io.Copy(w, content)
	return err
}

// counter is an io.Writer that only counts what is written.
type counter func(int)

func (c counter) Write(p []byte) (int, error) {
	if c != nil {
		c(len(p))
	}
	return len(p), nil
}
