// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/sparkgate/sparkgate/test/image/archive"
)

// buildLayout joins the archives of one image for several platforms to one.
func buildLayout(args []string) error {
	flags := flag.NewFlagSet("image layout", flag.ContinueOnError)
	out := flags.String("out", "", "the archive to write")
	name := flags.String("name", "", "the full `name` of the image: docker.io/sparkgate/sparkgate:v0.1.0")
	if err := flags.Parse(args); err != nil {
		return flag.ErrHelp
	}
	if *out == "" || *name == "" || flags.NArg() == 0 {
		return errors.New("image layout needs --name, --out and the archives of the platforms: see image layout --help")
	}
	work, err := os.MkdirTemp("", "image-layout-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	digest, err := archive.WriteLayout(*out, work, *name, flags.Args())
	if err != nil {
		return err
	}
	fmt.Printf("built %s: %s, digest %s\n", *out, *name, digest)
	return nil
}
