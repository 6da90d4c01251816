// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package spark

import (
	"archive/tar"
	"bytes"
	"crypto/sha1"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWantedOfBase(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"usr/bin/python3":                        true,
		"usr/share/man":                          false,
		"usr/share/man/man1/java.1.gz":           false,
		"usr/share/manifest":                     true,
		"usr/share/doc":                          true,
		"usr/share/doc/tini":                     true,
		"usr/share/doc/tini/copyright":           true,
		"usr/share/doc/tini/changelog.gz":        false,
		"usr/share/doc/tini/examples/copyright":  false,
		"usr/lib/x86_64-linux-gnu/perl/5.36/x":   false,
		"usr/lib/x86_64-linux-gnu/perl-base/x":   true,
		"usr/lib/x86_64-linux-gnu/libperl.so.5":  false,
		"usr/lib/python3.11/test/test_os.py":     false,
		"usr/lib/python3.11/unittest/case.py":    true,
		"usr/lib/jvm/java-17-openjdk-amd64/lib/": true,
		"var/lib/dpkg/status":                    true,
		"var/lib/dpkg/status-old":                false,
		"etc/apt/sources.list.d/0000.sources":    false,
		"tmp":                                    false,
		"runner":                                 true,
	} {
		if got := wantedOfBase(name); got != want {
			t.Errorf("%s: wanted %t, want %t", name, got, want)
		}
	}
}

func rootfs(t *testing.T, files map[string]string) string {
	t.Helper()
	var data bytes.Buffer
	w := tar.NewWriter(&data)
	for name, content := range files {
		if err := w.WriteHeader(&tar.Header{Name: "./" + name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(content))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "rootfs.tar")
	if err := os.WriteFile(file, data.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func authority(content string) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte(content)}))
}

func TestBaseLayer(t *testing.T) {
	t.Parallel()
	layer, err := baseLayer(rootfs(t, map[string]string{
		"etc/passwd": "root:x:0:0::/root:/bin/sh\n", "etc/group": "root:x:0:\n",
		bundleFile: authority("one") + authority("two"), keyStoreFile: "made at install time",
		"usr/lib/jvm/java-17-openjdk-riscv/bin/java": "", "usr/lib/jvm/java-17-openjdk-riscv/jre/bin/java": "",
	}))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"etc/passwd": "root:x:0:0::/root:/bin/sh\nspark:x:185:185:Spark:/home/spark:/usr/sbin/nologin\n",
		"etc/group":  "root:x:0:\nspark:x:185:\n",
	} {
		if got, err := layer.Read(name); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v; want %q", name, got, err, want)
		}
	}
	names := " " + strings.Join(layer.Names(), " ") + " "
	for _, name := range []string{"home/spark", "tmp", "var/tmp", "usr/lib/jvm/java-17"} {
		if !strings.Contains(names, " "+name+" ") {
			t.Errorf("no %s in the layer", name)
		}
	}
	if _, err := baseLayer(rootfs(t, map[string]string{"etc/passwd": "", "etc/group": "", bundleFile: authority("one")})); err == nil {
		t.Error("no error for a base without Java")
	}
}

func TestKeyStore(t *testing.T) {
	t.Parallel()
	store, err := keyStore([]byte("# one\n" + authority("one") + authority("second")))
	if err != nil {
		t.Fatal(err)
	}
	body := "\xFE\xED\xFE\xED\x00\x00\x00\x02\x00\x00\x00\x02"
	for _, entry := range []string{"\x00\x06ca-000|\x00\x00\x00\x03one", "\x00\x06ca-001|\x00\x00\x00\x06second"} {
		body += "\x00\x00\x00\x02" + strings.Replace(entry, "|", "\x00\x00\x01\x8c\xc2\x51\xf4\x00\x00\x05X.509", 1)
	}
	sum := sha1.Sum([]byte("\x00c\x00h\x00a\x00n\x00g\x00e\x00i\x00tMighty Aphrodite" + body))
	if want := body + string(sum[:]); string(store) != want {
		t.Errorf("store\n%q\nwant\n%q", store, want)
	}
	if _, err := keyStore([]byte("nothing")); err == nil {
		t.Error("no error for a bundle without certificates")
	}
}
