// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Spark is an installation of Spark's jars and scripts, and where the recorder
// keeps what it makes for it.
type Spark struct {
	Version string
	// Home has bin/spark-submit and jars/.
	Home string
	// Cache is a folder of the recorder for this version.
	Cache string
}

// FindSpark returns Spark of that version: the copy that the image is built
// from where there is one, else an own copy, downloaded on first use.
func FindSpark(ctx context.Context, version string, log io.Writer) (*Spark, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("find the cache folder: %w", err)
	}
	spark := &Spark{Version: version, Cache: filepath.Join(cache, "sparkgate", "record", version)}
	own := filepath.Join(spark.Cache, "home")
	for _, folder := range []string{filepath.Join(cache, "sparkgate", "spark", version), own} {
		if spark.Home = homeIn(folder, version); spark.Home != "" {
			return spark, nil
		}
	}
	fmt.Fprintf(log, "downloading pyspark %s (about 450 MB, once)\n", version)
	if err := download(ctx, version, spark.Cache, own); err != nil {
		return nil, err
	}
	if spark.Home = homeIn(own, version); spark.Home == "" {
		return nil, fmt.Errorf("the package of pyspark %s has no bin/spark-submit and jars", version)
	}
	return spark, nil
}

// homeIn returns the folder with bin/spark-submit and Spark's Kubernetes jar in or below folder, "" if there is none.
func homeIn(folder, version string) string {
	for _, below := range []string{"", "deps", "pyspark", filepath.Join("pyspark-"+version, "deps")} {
		home := filepath.Join(folder, below)
		jars, _ := filepath.Glob(filepath.Join(home, "jars", "spark-kubernetes_*-"+version+".jar"))
		if _, err := os.Stat(filepath.Join(home, "bin", "spark-submit")); err == nil && len(jars) == 1 {
			return home
		}
	}
	return ""
}

// download fetches the source package of pyspark and unpacks jars and scripts
// to the folder home, which appears whole or not at all.
func download(ctx context.Context, version, cache, home string) (err error) {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return fmt.Errorf("make the cache folder: %w", err)
	}
	work, err := os.MkdirTemp(cache, "download-")
	if err != nil {
		return fmt.Errorf("make the cache folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	pip := exec.CommandContext(ctx, "python3", "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", "pyspark",
		"--dest", work, "pyspark=="+version)
	pip.Stderr = os.Stderr
	if err := pip.Run(); err != nil {
		return fmt.Errorf("download pyspark %s with pip: %w", version, err)
	}
	unpacked := filepath.Join(work, "home")
	if err := unpack(filepath.Join(work, "pyspark-"+version+".tar.gz"), unpacked); err != nil {
		return fmt.Errorf("unpack pyspark %s: %w", version, err)
	}
	if err := os.Rename(unpacked, home); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("keep pyspark %s: %w", version, err)
	}
	return nil
}

// unpack writes the files below deps/bin and deps/jars of a source package to folder.
func unpack(archive, folder string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	for reader := tar.NewReader(unzipped); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := wanted(header)
		if name == "" {
			continue
		}
		if err := writeFile(filepath.Join(folder, name), reader, header.FileInfo().Mode().Perm()); err != nil {
			return err
		}
	}
}

// wanted is where a file of the package goes, "" if it is not needed.
func wanted(header *tar.Header) string {
	_, name, _ := strings.Cut(header.Name, "/deps/")
	if header.Typeflag != tar.TypeReg || !filepath.IsLocal(name) {
		return ""
	}
	if strings.HasPrefix(name, "bin/") || strings.HasPrefix(name, "jars/") {
		return name
	}
	return ""
}

func writeFile(name string, content io.Reader, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}
