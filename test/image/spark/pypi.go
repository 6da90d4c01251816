// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package spark

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// download puts the Spark distribution of the PyPI package pyspark into home,
// laid out like a Spark installation, so that home/bin/spark-submit works on
// the host too. home appears only when it is complete.
func (b Builder) download(ctx context.Context, version, home string) error {
	dir, unpacked := filepath.Join(b.work(), "pip"), filepath.Join(b.work(), "home")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	done := b.Progress.Step("pyspark", "downloading pyspark "+version+" from PyPI", func() string {
		return megabytes(treeSize(dir)) + " so far"
	})
	// pip names every package's index in its environment or configuration.
	err := b.Host.Run(ctx, Command{
		Log: b.log("pyspark"),
		Env: []string{"TMPDIR=" + dir, "PIP_DISABLE_PIP_VERSION_CHECK=1"},
		Args: []string{
			"python3", "-m", "pip", "download", "--no-cache-dir", "--no-deps", "--no-binary=pyspark", "--progress-bar=off",
			"--dest=" + dir, "pyspark==" + version,
		},
	})
	if done(err); err != nil {
		return b.downloadFailed(version, err)
	}
	found, _ := filepath.Glob(filepath.Join(dir, "pyspark-*.tar.gz"))
	if len(found) != 1 {
		return fmt.Errorf("pip left %d source archives of pyspark %s, want 1: see %s", len(found), version, b.log("pyspark"))
	}
	done = b.Progress.Step("pyspark", "unpacking", func() string { return megabytes(treeSize(unpacked)) })
	err = unpack(found[0], unpacked)
	if err == nil {
		err = errors.Join(os.RemoveAll(dir), os.MkdirAll(filepath.Dir(home), 0o755), os.Rename(unpacked, home))
	}
	done(err)
	return err
}

var versionsInLog = regexp.MustCompile(`from versions: ([^)]*)`)

func (b Builder) downloadFailed(version string, err error) error {
	data, readErr := os.ReadFile(b.log("pyspark"))
	match := versionsInLog.FindSubmatch(data)
	if readErr != nil || match == nil || string(match[1]) == "none" {
		return b.failed("pyspark", "check that `python3 -m pip download pyspark=="+version+"` works on this machine", err)
	}
	return fmt.Errorf("PyPI has no pyspark %s; it has %s", version, supported(string(match[1])))
}

// supported reduces pip's list of versions to final releases since 3.5.
func supported(list string) string {
	versions := strings.Split(list, ", ")
	return strings.Join(slices.DeleteFunc(versions, func(v string) bool {
		return !versionPattern.MatchString(v) || strings.HasPrefix(v, "1.") || strings.HasPrefix(v, "2.") ||
			strings.HasPrefix(v, "3.") && v < "3.5"
	}), ", ")
}

// installedAs maps what is wanted of the source archive, below its one folder,
// to its place in a Spark installation. All else is for building the package.
var installedAs = []struct{ from, to string }{
	{"deps/jars/", "jars/"},
	{"deps/bin/", "bin/"},
	{"deps/sbin/", "sbin/"},
	{"deps/data/", "data/"},
	{"deps/examples/", "examples/src/main/python/"},
	{"deps/licenses/", "licenses/"},
	{"lib/", "python/lib/"},
	{"LICENSE", "LICENSE"},
	{"NOTICE", "NOTICE"},
}

// place returns where a member of the source archive belongs, "" for nowhere.
func place(member string) string {
	_, name, _ := strings.Cut(path.Clean(member), "/")
	if !fs.ValidPath(name) || strings.HasSuffix(name, ".cmd") {
		return ""
	}
	for _, rule := range installedAs {
		if rest, ok := strings.CutPrefix(name, rule.from); ok {
			return rule.to + rest
		}
	}
	return ""
}

func unpack(file, dir string) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	zipped, err := gzip.NewReader(in)
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	reader := tar.NewReader(zipped)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		if name := place(header.Name); name != "" && header.Typeflag == tar.TypeReg {
			if err := unpackFile(reader, filepath.Join(dir, name), header.FileInfo().Mode()); err != nil {
				return err
			}
		}
	}
}

func unpackFile(content io.Reader, file string, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	perm := fs.FileMode(0o644)
	if mode&0o111 != 0 {
		perm = 0o755
	}
	out, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, content)
	return errors.Join(err, out.Close())
}

// treeSize returns the bytes of all files below dir that can be read just now.
func treeSize(dir string) int64 {
	var size int64
	// Files come and go meanwhile: it is for the progress line only.
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size
}
