// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, layer *Layer) ([]tar.Header, map[string][]byte) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "layer.tar")
	counted := 0
	blob, err := layer.Write(file, func(n int) { counted += n })
	if err != nil {
		t.Fatal(err)
	}
	data := read(t, file)
	if blob.SHA256 != sha(data) || blob.Path != file {
		t.Errorf("blob %+v, want %s with digest %s", blob, file, sha(data))
	}
	if counted != len(data) {
		t.Errorf("counted %d bytes, wrote %d", counted, len(data))
	}
	return members(t, data)
}

func names(headers []tar.Header) string {
	var all []string
	for _, h := range headers {
		all = append(all, h.Name)
	}
	return strings.Join(all, " ")
}

// describe returns what of a header reaches the container.
func describe(h tar.Header) string {
	return fmt.Sprintf("%s %c %o %d:%d %s", h.Name, h.Typeflag, h.Mode, h.Uid, h.Gid, h.Linkname)
}

func TestLayerIsSortedAndWithoutTraces(t *testing.T) {
	t.Parallel()
	var layer Layer
	layer.Symlink("/z", "a")
	layer.Bytes("b/x", 0o600, []byte("old"))
	layer.Bytes("b/x", 0o755, []byte("new"))
	layer.Dir("b", 0o775, Owner{UID: 185, GID: 186})
	layer.Bytes("/b-c", 0o644, nil)
	headers, contents := write(t, &layer)
	if got := names(headers); got != "b/ b-c b/x z" {
		t.Errorf("entries %s", got)
	}
	if string(contents["b/x"]) != "new" || layer.Size() != 3 {
		t.Errorf("b/x is %q and the size %d, want the later content", contents["b/x"], layer.Size())
	}
	for _, h := range headers {
		if !h.ModTime.Equal(Epoch) || h.Uname != "" || h.Gname != "" {
			t.Errorf("%s has the time %v, user %q, group %q", h.Name, h.ModTime, h.Uname, h.Gname)
		}
	}
	if got, want := describe(headers[0]), "b/ 5 775 185:186 "; got != want {
		t.Errorf("folder is %q, want %q", got, want)
	}
	if got, want := describe(headers[3]), "z 2 777 0:0 a"; got != want {
		t.Errorf("link is %q, want %q", got, want)
	}
}

// sourceTar writes a tar with everything a root file system has.
func sourceTar(t *testing.T) string {
	t.Helper()
	var data bytes.Buffer
	w := tar.NewWriter(&data)
	for _, h := range []tar.Header{
		{Name: "./", Typeflag: tar.TypeDir, Mode: 0o755},
		{Name: "./z", Typeflag: tar.TypeReg, Mode: 0o4755, Uid: 1, Gid: 2, Size: 4, Uname: "someone", ModTime: time.Unix(5, 0)},
		{Name: "./a", Typeflag: tar.TypeLink, Linkname: "./z"},
		{Name: "./dev/null", Typeflag: tar.TypeChar},
		{Name: "./drop", Typeflag: tar.TypeReg, Size: 4},
		{Name: "./keep", Typeflag: tar.TypeReg, Size: 4},
		{Name: "./" + strings.Repeat("long/", 60) + "ő", Typeflag: tar.TypeReg, Size: 4},
	} {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := w.Write([]byte(h.Name + "1234")[len(h.Name) : len(h.Name)+4]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "source.tar")
	if err := os.WriteFile(file, data.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestLayerOfATar(t *testing.T) {
	t.Parallel()
	var layer Layer
	if err := layer.Tar(sourceTar(t), func(name string) bool { return name != "drop" }); err != nil {
		t.Fatal(err)
	}
	headers, contents := write(t, &layer)
	long := strings.Repeat("long/", 60) + "ő"
	if got, want := names(headers), "keep "+long+" z a"; got != want {
		t.Errorf("entries %s, want %s: hard links last, no devices", got, want)
	}
	if string(contents["keep"]) != "1234" || string(contents[long]) != "1234" {
		t.Errorf("contents %q", contents)
	}
	if got, want := describe(headers[2]), "z 0 4755 1:2 "; got != want {
		t.Errorf("file is %q, want what the source has, %q", got, want)
	}
	if got, want := describe(headers[3]), "a 1 0 0:0 z"; got != want {
		t.Errorf("hard link is %q, want %q", got, want)
	}
	if data, err := layer.Read("keep"); err != nil || string(data) != "1234" {
		t.Errorf("Read = %q, %v", data, err)
	}
	if _, err := layer.Read("drop"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of what was dropped: %v", err)
	}
}

func TestLayerOfAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"bin/run": 0o700, "data": 0o600, "skip": 0o600} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("data", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	var layer Layer
	if err := layer.Tree("opt", dir, func(name string) bool { return name != "skip" }); err != nil {
		t.Fatal(err)
	}
	headers, contents := write(t, &layer)
	if got := names(headers); got != "opt/ opt/bin/ opt/bin/run opt/data opt/link" {
		t.Errorf("entries %s", got)
	}
	for i, mode := range []int64{0o755, 0o755, 0o755, 0o644, 0o777} {
		if headers[i].Mode != mode || headers[i].Uid != 0 {
			t.Errorf("%s is %o of %d, want %o of root", headers[i].Name, headers[i].Mode, headers[i].Uid, mode)
		}
	}
	if string(contents["opt/bin/run"]) != "bin/run" {
		t.Errorf("content %q", contents["opt/bin/run"])
	}
}

func TestFileThatChangesIsAnError(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("12"), 0o644); err != nil {
		t.Fatal(err)
	}
	var layer Layer
	if err := layer.HostFile("file", 0o644, file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("1"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := layer.Write(filepath.Join(t.TempDir(), "layer.tar"), nil); err == nil {
		t.Error("no error although the file became shorter")
	}
	if err := layer.HostFile("dir", 0o644, t.TempDir()); err == nil {
		t.Error("no error for a folder as a file")
	}
}
