// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package spark

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sparkgate/sparkgate/test/image/archive"
)

// basePackages is what Spark needs beside Debian's essential packages: tini to
// reap Python workers, procps for Spark's scripts and the decommission hook.
var basePackages = []string{"openjdk-17-jre-headless", "python3", "tini", "procps", "ca-certificates", "tzdata"}

// A container in which no packages are installed needs none of these. Licences
// (usr/share/doc/*/copyright) and the list of packages stay.
var unneeded = []string{
	"boot", "dev", "etc/apt", "etc/machine-id", "etc/resolv.conf", "etc/hostname",
	"usr/share/man", "usr/share/info", "usr/share/locale", "usr/share/i18n", "usr/share/lintian", "usr/share/bug",
	"usr/share/bash-completion", "usr/share/perl", "usr/share/perl5", "usr/share/fonts", "usr/share/X11",
	"usr/lib/*/perl", "usr/lib/*/libperl.so.*", "usr/lib/jvm/*/lib/ct.sym", "usr/lib/python3*/test", "usr/lib/python3*/lib2to3",
	"var/cache", "var/lib/apt", "var/lib/dpkg/*-old", "var/log", "tmp", "run",
}

// base makes the Debian layer.
func (b Builder) base(ctx context.Context) (*archive.Layer, error) {
	sources, err := debianSources(os.DirFS("/"), b.Mirror)
	if err != nil {
		return nil, err
	}
	list, rootfs := filepath.Join(b.work(), "debian.sources"), filepath.Join(b.work(), "rootfs.tar")
	if err := os.WriteFile(list, []byte(sources), 0o644); err != nil {
		return nil, err
	}
	done := b.Progress.Step("base", "installing Debian "+suite+" with "+strings.Join(basePackages, " "), func() string {
		data, _ := os.ReadFile(b.log("base")) // no line, no news
		return lastLine(data)
	})
	err = b.Host.Run(ctx, Command{
		Log: b.log("base"),
		Env: []string{fmt.Sprintf("SOURCE_DATE_EPOCH=%d", archive.Epoch.Unix()), "TMPDIR=" + b.work()},
		Args: []string{
			"mmdebstrap", "--mode=root", "--variant=essential", "--format=tar", "--include=" + strings.Join(basePackages, ","),
			suite, rootfs, list,
		},
	})
	if done(err); err != nil {
		return nil, b.failed("base", "check that apt-get update works on this machine, or give another archive with --mirror", err)
	}
	return baseLayer(rootfs)
}

// baseLayer makes the layer of a Debian root file system: without what is not
// needed, with the user spark, and with a key store of constant content.
func baseLayer(rootfs string) (*archive.Layer, error) {
	layer := &archive.Layer{}
	if err := layer.Tar(rootfs, wantedOfBase); err != nil {
		return nil, err
	}
	for _, dir := range []string{"dev", "run", "var/cache", "var/log"} {
		layer.Dir(dir, 0o755, archive.Root)
	}
	for _, dir := range []string{"tmp", "var/tmp"} {
		layer.Dir(dir, 0o1777, archive.Root)
	}
	return layer, errors.Join(addUser(layer), addKeyStore(layer), linkJava(layer))
}

func wantedOfBase(name string) bool {
	if rest, ok := strings.CutPrefix(name, "usr/share/doc/"); ok {
		_, file, inside := strings.Cut(rest, "/")
		return !inside || file == "copyright"
	}
	for _, pattern := range unneeded {
		if matchesParent(pattern, name) {
			return false
		}
	}
	return true
}

// matchesParent reports whether pattern matches name or a folder above it.
func matchesParent(pattern, name string) bool {
	parts := strings.Split(name, "/")
	depth := strings.Count(pattern, "/") + 1
	if len(parts) < depth {
		return false
	}
	// Match fails only for a malformed pattern, and those here are constants.
	ok, _ := filepath.Match(pattern, strings.Join(parts[:depth], "/"))
	return ok
}

// addUser adds the user that Spark runs as. Without an entry and a writable
// home Ivy and Hadoop refuse to start.
func addUser(layer *archive.Layer) error {
	passwd, err := layer.Read("etc/passwd")
	if err != nil {
		return err
	}
	group, err := layer.Read("etc/group")
	if err != nil {
		return err
	}
	layer.Bytes("etc/passwd", 0o644, fmt.Appendf(passwd, "spark:x:%d:%d:Spark:/home/spark:/usr/sbin/nologin\n", uid, uid))
	layer.Bytes("etc/group", 0o644, fmt.Appendf(group, "spark:x:%d:\n", uid))
	layer.Dir("home/spark", 0o755, archive.Owner{UID: uid, GID: uid})
	return nil
}

// linkJava makes javaHome a link to the runtime, whose folder's name depends on
// the architecture.
func linkJava(layer *archive.Layer) error {
	for _, name := range layer.Names() {
		if dir, ok := strings.CutSuffix(name, "/bin/java"); ok && filepath.Dir("/"+dir) == filepath.Dir(javaHome) {
			layer.Symlink(javaHome, filepath.Base(dir))
			return nil
		}
	}
	return errors.New("the Debian base has no Java runtime")
}
