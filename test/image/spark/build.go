// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package spark

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/sparkgate/sparkgate/test/image/archive"
)

// Repository is the image's name without its tag.
const Repository = "docker.io/sparkgate/spark"

// keyLabel holds the key of everything the image was built from.
const keyLabel = "io.sparkgate.image.key"

// javaHome is a link that is the same on every architecture.
const javaHome = "/usr/lib/jvm/java-17"

// uid is that of the user spark, which Spark's own images have too.
const uid = 185

// Builder builds images. All fields are needed.
type Builder struct {
	Host     Host
	Progress *Progress
	Sources  fs.FS  // this module's folder: examples, rootfs, and the Go files for the keys
	Cache    string // folder of this tool alone
	Mirror   string // of Debian; empty: the one of the host's package sources
}

// Build writes the image of a Spark version to out. It does nothing if out is
// that image already.
func (b Builder) Build(ctx context.Context, version, out string) error {
	tags, err := tagsOf(version)
	if err != nil {
		return err
	}
	keys, err := keysOf(b.Sources, version)
	if err != nil {
		return err
	}
	if b.built(out, tags, keys) {
		return nil
	}
	unlock, err := b.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if b.built(out, tags, keys) { // by the build that we waited for
		return nil
	}
	layers, err := b.layers(ctx, version, out, keys)
	if err != nil {
		return err
	}
	done := b.Progress.Step("image", "writing "+out, nil)
	id, err := archive.Write(out, archive.Image{Tags: tags, Arch: runtime.GOARCH, Config: config(keys), Layers: layers})
	if done(err); err != nil {
		return err
	}
	b.Progress.Say("built %s: %s, %s, id %.12s", out, strings.Join(tags, " "), sizeOf(out), id)
	return nil
}

// built says so if out is the image already.
func (b Builder) built(out string, tags []string, keys keys) bool {
	summary, err := archive.Inspect(out)
	if err != nil || summary.Labels[keyLabel] != keys.image {
		return false
	}
	b.Progress.Say("already built: %s (%s, id %.12s)", out, tags[0], summary.ID)
	return true
}

var versionPattern = regexp.MustCompile(`^(\d+)\.(\d+)\.\d+$`)

// tagsOf returns the full names of the image, that of the minor version first.
func tagsOf(version string) ([]string, error) {
	match := versionPattern.FindStringSubmatch(version)
	if match == nil {
		return nil, fmt.Errorf("version %q is not of the form 4.1.4: give the full Spark version", version)
	}
	return []string{Repository + ":" + match[1] + "." + match[2], Repository + ":" + version}, nil
}

func config(keys keys) archive.Config {
	return archive.Config{
		User: fmt.Sprint(uid),
		Env: []string{
			"PATH=/opt/spark/bin:" + javaHome + "/bin:/usr/local/bin:/usr/bin:/bin",
			"JAVA_HOME=" + javaHome,
			"SPARK_HOME=/opt/spark",
			"LANG=C.UTF-8",
		},
		Entrypoint: []string{"/opt/entrypoint.sh"},
		WorkingDir: "/opt/spark/work-dir",
		Labels:     map[string]string{keyLabel: keys.image},
	}
}

// layers returns the three layers, lowest first, and makes those that are not
// in the cache.
func (b Builder) layers(ctx context.Context, version, out string, keys keys) ([]archive.Blob, error) {
	slots := []*slot{
		{name: "base", key: keys.base},
		{name: "spark-" + version, key: keys.spark},
		{name: "examples-" + version, key: keys.examples},
	}
	missing := b.lookUp(slots)
	if len(missing) == 0 {
		return blobs(slots), nil
	}
	home := filepath.Join(b.Cache, "..", "spark", version)
	needs := needs{base: missing["base"], spark: !exists(home), javac: missing[slots[2].name]}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return nil, err
	}
	if err := b.prepare(ctx, needs, out); err != nil {
		return nil, err
	}
	err := together(ctx,
		func(ctx context.Context) error {
			return b.fill(slots[0], func() (*archive.Layer, error) { return b.base(ctx) })
		},
		func(ctx context.Context) error { return b.fillSpark(ctx, slots, version, home) },
	)
	if err != nil {
		return nil, err
	}
	return blobs(slots), nil
}

func (b Builder) fillSpark(ctx context.Context, slots []*slot, version, home string) error {
	if !exists(home) {
		if err := b.download(ctx, version, home); err != nil {
			return err
		}
	}
	if err := b.fill(slots[1], func() (*archive.Layer, error) { return sparkLayer(home) }); err != nil {
		return err
	}
	return b.fill(slots[2], func() (*archive.Layer, error) { return b.examples(ctx, home) })
}

// together runs both at once and returns the first error; the context of the
// other ends with it.
func together(ctx context.Context, tasks ...func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	results := make(chan error)
	for _, task := range tasks {
		go func() { results <- task(ctx) }()
	}
	for range tasks {
		if err := <-results; err != nil {
			cancel(err)
		}
	}
	return context.Cause(ctx)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

func sizeOf(file string) string {
	info, err := os.Stat(file)
	if err != nil {
		return "size unknown"
	}
	return megabytes(info.Size())
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", n/1_000_000) }
