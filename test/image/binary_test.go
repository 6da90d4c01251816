// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/test/image/archive"
)

// program writes the headers of an ELF program with one segment.
func program(t *testing.T, machine elf.Machine, segment elf.ProgType) string {
	t.Helper()
	var data bytes.Buffer
	header := elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_EXEC), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT),
		Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 1,
	}
	for _, part := range []any{header, elf.Prog64{Type: uint32(segment)}} {
		if err := binary.Write(&data, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(file, data.Bytes(), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// layerOf returns the entries of the only layer of an archive as
// "name mode uid", and the contents by name.
func layerOf(t *testing.T, file string) (string, map[string]string) {
	t.Helper()
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	outer := tar.NewReader(in)
	for {
		header, err := outer.Next()
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(header.Name, ".tar") {
			break
		}
	}
	var entries []string
	contents := map[string]string{}
	for inner := tar.NewReader(outer); ; {
		header, err := inner.Next()
		if errors.Is(err, io.EOF) {
			return strings.Join(entries, "\n"), contents
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(inner)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, fmt.Sprintf("%s %o", header.Name, header.Mode))
		contents[header.Name] = string(content)
	}
}

func TestBinaryImage(t *testing.T) {
	t.Parallel()
	b := binaryImage{
		name: "docker.io/local/hello:1", binary: program(t, elf.EM_X86_64, elf.PT_LOAD),
		entrypoint: "/usr/bin/hello", user: "65532", out: filepath.Join(t.TempDir(), "hello.tar"),
	}
	id, err := b.write()
	if err != nil {
		t.Fatal(err)
	}
	entries, contents := layerOf(t, b.out)
	want := "etc/ 755\netc/group 644\netc/passwd 644\ntmp/ 1777\nusr/ 755\nusr/bin/ 755\nusr/bin/hello 755"
	if entries != want {
		t.Errorf("entries\n%s\nwant\n%s", entries, want)
	}
	if !strings.Contains(contents["etc/passwd"], "nonroot:x:65532:65532:") || !strings.Contains(contents["etc/group"], "nonroot:x:65532:") {
		t.Errorf("users %q, groups %q", contents["etc/passwd"], contents["etc/group"])
	}
	if summary, err := archive.Inspect(b.out); err != nil || summary.ID != id {
		t.Errorf("archive has id %s, %v; want %s", summary.ID, err, id)
	}
	b.out += ".2"
	if again, err := b.write(); err != nil || again != id {
		t.Errorf("written again: id %s, %v; want %s", again, err, id)
	}
}

func TestBinaryImageOfRoot(t *testing.T) {
	t.Parallel()
	b := binaryImage{
		name: "docker.io/local/hello:1", binary: program(t, elf.EM_X86_64, elf.PT_LOAD),
		entrypoint: "/hello", user: "0", out: filepath.Join(t.TempDir(), "hello.tar"),
	}
	if _, err := b.write(); err != nil {
		t.Fatal(err)
	}
	if entries, contents := layerOf(t, b.out); !strings.Contains(entries, "\nhello 755\n") || strings.Contains(contents["etc/passwd"], "nonroot") {
		t.Errorf("entries\n%s\nusers %s", entries, contents["etc/passwd"])
	}
}

func TestBinaryIsRefused(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for want, file := range map[string]string{
		"CGO_ENABLED=0":    program(t, elf.EM_X86_64, elf.PT_INTERP),
		"no Linux program": text,
		"EM_MIPS programs": program(t, elf.EM_MIPS, elf.PT_LOAD),
		"no such file":     filepath.Join(t.TempDir(), "missing"),
	} {
		b := binaryImage{name: "docker.io/local/x:1", binary: file, entrypoint: "/x", user: "1", out: filepath.Join(t.TempDir(), "x.tar")}
		if _, err := b.write(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if arch, err := architecture(program(t, elf.EM_AARCH64, elf.PT_LOAD)); err != nil || arch != "arm64" {
		t.Errorf("architecture %s, %v; want arm64", arch, err)
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"unknown command":     {"build"},
		"--binary is missing": {"binary", "--name", "a", "--out", "b"},
		"unexpected argument": {"spark", "4.1.4"},
	} {
		if err := dispatch(t.Context(), args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", args, err, want)
		}
	}
}
