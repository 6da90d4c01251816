// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Keep says whether a file goes into the layer; its name has no leading slash
// and, for a tree, is relative to the tree. What is inside a directory is asked
// for even if the directory was not kept.
type Keep func(name string) bool

// Tree adds the directory dir of the host, and all in it that keep wants (nil:
// everything), under prefix. All of it belongs to root; regular files get the
// mode 0755 if they are executable for all, else 0644.
func (l *Layer) Tree(prefix, dir string, keep Keep) error {
	return filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		if keep != nil && rel != "." && !keep(rel) {
			return nil
		}
		return l.hostEntry(path.Join(prefix, rel), file, d)
	})
}

func (l *Layer) hostEntry(name, file string, d fs.DirEntry) error {
	switch {
	case d.IsDir():
		l.Dir(name, 0o755, Root)
		return nil
	case d.Type()&fs.ModeSymlink != 0:
		target, err := os.Readlink(file)
		if err != nil {
			return err
		}
		l.Symlink(name, target)
		return nil
	case !d.Type().IsRegular():
		return fmt.Errorf("%s is neither a file, a directory nor a link", file)
	}
	info, err := d.Info()
	if err != nil {
		return err
	}
	mode := int64(0o644)
	if info.Mode()&0o111 != 0 {
		mode = 0o755
	}
	return l.HostFile(name, mode, file)
}

// Tar adds what keep wants of an uncompressed tar with its modes, owners and
// links; device nodes are left out, a container has its own. The file is read
// again when the layer is written and must stay until then.
func (l *Layer) Tar(file string, keep Keep) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	reader := tar.NewReader(in)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		// The reader takes whole blocks and never more than the header, so the
		// position in the file is where the content starts.
		offset, err := in.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		if err := l.tarEntry(file, offset, header, keep); err != nil {
			return err
		}
	}
}

func (l *Layer) tarEntry(file string, offset int64, header *tar.Header, keep Keep) error {
	name := strings.Trim(path.Clean(header.Name), "/")
	if name == "." || keep != nil && !keep(name) {
		return nil
	}
	clean := tar.Header{
		Typeflag: header.Typeflag, Name: name, Linkname: header.Linkname,
		Mode: header.Mode, Uid: header.Uid, Gid: header.Gid, Size: header.Size,
	}
	switch header.Typeflag {
	case tar.TypeDir, tar.TypeSymlink:
		l.add(entry{header: clean})
	case tar.TypeLink:
		clean.Linkname = strings.Trim(path.Clean(header.Linkname), "/")
		l.add(entry{header: clean})
	case tar.TypeReg:
		l.add(entry{header: clean, open: section(file, offset, header.Size)})
	case tar.TypeChar, tar.TypeBlock, tar.TypeFifo:
	default:
		return fmt.Errorf("read %s: %s has the unknown type %q", file, name, header.Typeflag)
	}
	return nil
}

func section(file string, offset, size int64) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		in, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		return struct {
			io.Reader
			io.Closer
		}{io.NewSectionReader(in, offset, size), in}, nil
	}
}

// Read returns the content of a regular file of the layer; fs.ErrNotExist if
// the layer has none of that name.
func (l *Layer) Read(name string) ([]byte, error) {
	e, ok := l.entries[name]
	if !ok || e.open == nil {
		return nil, fmt.Errorf("layer entry %s: %w", name, fs.ErrNotExist)
	}
	content, err := e.open()
	if err != nil {
		return nil, err
	}
	defer content.Close()
	return io.ReadAll(content)
}

// Names returns the names of all entries in no order.
func (l *Layer) Names() []string {
	names := make([]string, 0, len(l.entries))
	for name := range l.entries {
		names = append(names, name)
	}
	return names
}
