// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package eventlog

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/sparkgate/sparkgate/internal/tools/advise"
)

// maxWindow is the largest amount of memory that a compressed file may request, in bytes.
const maxWindow = 128 << 20

// Read reads the event log at a path of a file system: a file, the folder of a rolling log, or a folder that contains
// one log. Its errors name the path and the remedy.
func Read(files fs.FS, name string) (*advise.Run, error) {
	parts, err := partsOf(files, name)
	if err != nil {
		return nil, err
	}
	r := newReader()
	for _, part := range parts {
		if err := readFile(files, part, r); err != nil {
			return nil, fmt.Errorf("%s: %w", part, err)
		}
	}
	if r.events == 0 {
		return nil, fmt.Errorf("%s is not an event log of Spark: it has no event", name)
	}
	return r.finish(), nil
}

// partsOf returns the files of a log in the order in which they were written.
func partsOf(files fs.FS, name string) ([]string, error) {
	info, err := fs.Stat(files, name)
	if err != nil || !info.IsDir() {
		return []string{name}, err
	}
	entries, err := fs.ReadDir(files, name)
	if err != nil {
		return nil, err
	}
	var parts, logs []string
	for _, e := range entries {
		switch base := e.Name(); {
		case strings.HasPrefix(base, "events_"):
			parts = append(parts, path.Join(name, base))
		case strings.HasPrefix(base, "appstatus"), strings.HasPrefix(base, "."):
		default:
			logs = append(logs, base)
		}
	}
	switch {
	case len(parts) > 0:
		slices.SortFunc(parts, func(a, b string) int { return cmp.Or(cmp.Compare(indexOf(a), indexOf(b)), cmp.Compare(a, b)) })
		return parts, nil
	case len(logs) == 1:
		return partsOf(files, path.Join(name, logs[0]))
	case len(logs) == 0:
		return nil, fmt.Errorf("%s has no event log", name)
	}
	return nil, fmt.Errorf("%s has %d event logs; name one of them, such as %s", name, len(logs), path.Join(name, logs[len(logs)-1]))
}

// indexOf returns the number of a part: 2 for events_2_spark-abc.zstd; 0 if it has none.
func indexOf(name string) int {
	_, rest, _ := strings.Cut(path.Base(name), "_")
	digits, _, _ := strings.Cut(rest, "_")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

func readFile(files fs.FS, name string, r *reader) error {
	file, err := files.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	text, closeText, err := decompress(name, file)
	if err != nil {
		return err
	}
	defer closeText()
	return r.read(text)
}

// decompress returns the text of a file, and a function to close it. The ending of the file's name selects the
// compression; a log that is still being written has the additional ending .inprogress.
func decompress(name string, file io.Reader) (io.Reader, func(), error) {
	switch ending := path.Ext(strings.TrimSuffix(name, ".inprogress")); ending {
	case ".zstd", ".zst":
		z, err := zstd.NewReader(file, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	case ".gz":
		z, err := gzip.NewReader(file)
		if err != nil {
			return nil, nil, fmt.Errorf("it is not compressed with gzip, as its name says: %w", err)
		}
		return z, func() { _ = z.Close() }, nil
	case ".lz4", ".lzf", ".snappy":
		return nil, nil, fmt.Errorf("compression %s is not supported; set spark.eventLog.compression.codec to zstd (Spark's default) for the next run", ending[1:])
	}
	return file, func() {}, nil
}

// cut reports whether an error means that a compressed file ends too early: Spark is still writing it, or was killed.
func cut(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }
