// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"debug/elf"
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/sparkgate/sparkgate/test/image/archive"
)

// binaryImage is an image with one program and the few files that programs
// expect: the user's name, a folder for temporary files. It has nothing of the
// machine that builds it, so the same program gives the same image.
type binaryImage struct {
	name, binary, entrypoint, user, out string
}

func buildBinary(args []string) error {
	var b binaryImage
	flags := flag.NewFlagSet("image binary", flag.ContinueOnError)
	flags.StringVar(&b.name, "name", "", "the full `name` of the image: docker.io/sparkgate/sparkgate:dev")
	flags.StringVar(&b.binary, "binary", "", "the statically linked program")
	flags.StringVar(&b.entrypoint, "entrypoint", "", "where the program is in the image (default: / and its name)")
	flags.StringVar(&b.user, "user", "65532", "the `id` of the user that runs it")
	flags.StringVar(&b.out, "out", "", "the archive to write")
	if err := parse(flags, args); err != nil {
		return err
	}
	for name, value := range map[string]string{"name": b.name, "binary": b.binary, "out": b.out} {
		if value == "" {
			return fmt.Errorf("--%s is missing: see image binary --help", name)
		}
	}
	if b.entrypoint == "" {
		b.entrypoint = "/" + filepath.Base(b.binary)
	}
	id, err := b.write()
	if err != nil {
		return err
	}
	fmt.Printf("built %s: %s, id %.12s\n", b.out, b.name, id)
	return nil
}

// write writes the archive and returns the image's id.
func (b binaryImage) write() (string, error) {
	arch, err := architecture(b.binary)
	if err != nil {
		return "", err
	}
	layer, err := b.layer()
	if err != nil {
		return "", err
	}
	work, err := os.MkdirTemp("", "image-binary-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	blob, err := layer.Write(filepath.Join(work, "layer.tar"), nil)
	if err != nil {
		return "", err
	}
	return archive.Write(b.out, archive.Image{
		Tags:   []string{b.name},
		Arch:   arch,
		Layers: []archive.Blob{blob},
		Config: archive.Config{
			User:       b.user,
			Env:        []string{"PATH=" + path.Dir(b.entrypoint)},
			Entrypoint: []string{b.entrypoint},
			WorkingDir: "/",
		},
	})
}

func (b binaryImage) layer() (*archive.Layer, error) {
	layer := &archive.Layer{}
	layer.Dir("etc", 0o755, archive.Root)
	layer.Dir("tmp", 0o1777, archive.Root)
	users, groups := "root:x:0:0:root:/root:/sbin/nologin\n", "root:x:0:\n"
	if b.user != "0" {
		users += fmt.Sprintf("nonroot:x:%s:%s:nonroot:/tmp:/sbin/nologin\n", b.user, b.user)
		groups += fmt.Sprintf("nonroot:x:%s:\n", b.user)
	}
	layer.Bytes("etc/passwd", 0o644, []byte(users))
	layer.Bytes("etc/group", 0o644, []byte(groups))
	parents := strings.Split(strings.Trim(path.Dir(b.entrypoint), "/"), "/")
	for i := range parents {
		if dir := strings.Join(parents[:i+1], "/"); dir != "" {
			layer.Dir(dir, 0o755, archive.Root)
		}
	}
	return layer, layer.HostFile(b.entrypoint, 0o755, b.binary)
}

// architecture returns what the program runs on, as images call it. A program
// that needs a loader is refused: the image has none.
func architecture(file string) (string, error) {
	program, err := elf.Open(file)
	if err != nil {
		return "", fmt.Errorf("%s is no Linux program: %w", file, err)
	}
	defer program.Close()
	for _, segment := range program.Progs {
		if segment.Type == elf.PT_INTERP {
			return "", fmt.Errorf("%s is dynamically linked: build it with CGO_ENABLED=0", file)
		}
	}
	switch program.Machine {
	case elf.EM_X86_64:
		return "amd64", nil
	case elf.EM_AARCH64:
		return "arm64", nil
	}
	return "", errors.New(program.Machine.String() + " programs are not supported")
}
