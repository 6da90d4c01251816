// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package spark

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/sparkgate/sparkgate/test/image/archive"
)

// A slot is the place of a layer in the cache: NAME.KEY.DIGEST.tar.
type slot struct {
	name, key string
	blob      archive.Blob // empty: not in the cache
}

func (b Builder) layerDir() string { return filepath.Join(b.Cache, "layers") }

// work returns the folder for what is worthless after the build.
func (b Builder) work() string { return filepath.Join(b.Cache, "work") }

// lookUp fills the slots from the cache and returns the names of those it
// could not fill.
func (b Builder) lookUp(slots []*slot) map[string]bool {
	missing := map[string]bool{}
	for _, s := range slots {
		// Glob fails only for a malformed pattern, which this is not.
		found, _ := filepath.Glob(filepath.Join(b.layerDir(), s.name+"."+s.key+".*.tar"))
		if len(found) == 0 {
			missing[s.name] = true
			continue
		}
		digest := strings.TrimSuffix(found[0][strings.LastIndex(found[0], s.key)+len(s.key)+1:], ".tar")
		s.blob = archive.Blob{Path: found[0], SHA256: digest}
	}
	return missing
}

// fill makes the layer and puts it into the cache, in place of older ones of
// the same name. It does nothing if the slot is filled.
func (b Builder) fill(s *slot, collect func() (*archive.Layer, error)) error {
	if s.blob.Path != "" {
		return nil
	}
	layer, err := collect()
	if err != nil {
		return err
	}
	var written atomic.Int64
	size := layer.Size()
	done := b.Progress.Step(s.name, "writing the layer, "+megabytes(size), func() string {
		return megabytes(written.Load()) + " of " + megabytes(size)
	})
	blob, err := layer.Write(filepath.Join(b.work(), s.name+".tar"), func(n int) { written.Add(int64(n)) })
	if err == nil {
		blob, err = b.store(s, blob)
	}
	done(err)
	s.blob = blob
	return err
}

func (b Builder) store(s *slot, blob archive.Blob) (archive.Blob, error) {
	old, _ := filepath.Glob(filepath.Join(b.layerDir(), s.name+".????????????????.*.tar"))
	for _, file := range old {
		if err := os.Remove(file); err != nil {
			return archive.Blob{}, err
		}
	}
	target := filepath.Join(b.layerDir(), fmt.Sprintf("%s.%s.%s.tar", s.name, s.key, blob.SHA256))
	if err := os.Rename(blob.Path, target); err != nil {
		return archive.Blob{}, err
	}
	return archive.Blob{Path: target, SHA256: blob.SHA256}, nil
}

func blobs(slots []*slot) []archive.Blob {
	list := make([]archive.Blob, 0, len(slots))
	for _, s := range slots {
		list = append(list, s.blob)
	}
	return list
}

// lock waits until no other build uses the cache and empties the folder for
// work in progress. The kernel drops the lock of a process that died.
func (b Builder) lock() (unlock func(), err error) {
	if err := os.MkdirAll(b.layerDir(), 0o755); err != nil {
		return nil, err
	}
	file, err := os.Create(filepath.Join(b.Cache, "lock"))
	if err != nil {
		return nil, err
	}
	if err := b.wait(file); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", file.Name(), err), file.Close())
	}
	err = errors.Join(os.RemoveAll(b.work()), os.MkdirAll(b.work(), 0o755))
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() {
		// What is left behind is removed by the next build.
		_ = os.RemoveAll(b.work())
		_ = file.Close()
	}, nil
}

func (b Builder) wait(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		return err
	}
	done := b.Progress.Step("lock", "another build is running, waiting for it", nil)
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
	done(err)
	return err
}
