// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package spark

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/sparkgate/sparkgate/test/image/archive"
)

// exampleJar is the jar of the examples for the JVM.
const exampleJar = "opt/spark/examples/jars/sparkgate-examples.jar"

// examples makes the layer with the example programs and the scripts that
// Spark on Kubernetes expects.
func (b Builder) examples(ctx context.Context, home string) (*archive.Layer, error) {
	layer := &archive.Layer{}
	for _, dir := range []string{"opt", "opt/spark", "opt/spark/examples", path.Dir(exampleJar)} {
		layer.Dir(dir, 0o755, archive.Root)
	}
	if err := b.scripts(layer); err != nil {
		return nil, err
	}
	done := b.Progress.Step("examples", "compiling the JVM examples", nil)
	classes := filepath.Join(b.work(), "classes")
	err := b.compile(ctx, home, classes)
	if err == nil {
		var content []byte
		content, err = jar(os.DirFS(classes))
		layer.Bytes(exampleJar, 0o644, content)
	}
	done(err)
	return layer, err
}

func (b Builder) scripts(layer *archive.Layer) error {
	programs, err := fs.Glob(b.Sources, "examples/*.py")
	if err != nil {
		return err
	}
	scripts, err := fs.Glob(b.Sources, "rootfs/*.sh")
	if err != nil {
		return err
	}
	for _, name := range append(programs, scripts...) {
		data, err := fs.ReadFile(b.Sources, name)
		if err != nil {
			return err
		}
		if path.Ext(name) == ".sh" {
			layer.Bytes("opt/"+path.Base(name), 0o755, data)
		} else {
			layer.Bytes("opt/spark/"+name, 0o644, data)
		}
	}
	return nil
}

// compile runs javac over examples/java for the Java release of the image.
func (b Builder) compile(ctx context.Context, home, classes string) error {
	command := []string{"javac", "--release", "17", "-proc:none", "-d", classes, "-cp", filepath.Join(home, "jars", "*")}
	sources := filepath.Join(b.work(), "java")
	err := fs.WalkDir(b.Sources, "examples/java", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".java" {
			return err
		}
		data, err := fs.ReadFile(b.Sources, name)
		if err != nil {
			return err
		}
		file := filepath.Join(sources, filepath.FromSlash(strings.TrimPrefix(name, "examples/java/")))
		command = append(command, file)
		return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, data, 0o644))
	})
	if err != nil {
		return err
	}
	if err := b.Host.Run(ctx, Command{Log: b.log("javac"), Args: command}); err != nil {
		return b.failed("javac", "javac must be of Java 17 or later", err)
	}
	return nil
}

// jar packs compiled classes, in the order of their names, without times.
func jar(classes fs.FS) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	add := func(name string, data []byte) error {
		file, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return err
		}
		_, err = file.Write(data)
		return err
	}
	if err := add("META-INF/MANIFEST.MF", []byte("Manifest-Version: 1.0\r\n\r\n")); err != nil {
		return nil, err
	}
	err := fs.WalkDir(classes, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(classes, name)
		if err != nil {
			return err
		}
		return add(name, data)
	})
	if err := errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
