// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/sparkgate/sparkgate/test/image/spark"
)

// sources are what the Spark image is built from: programs, scripts, and the code
// that puts them together, which is part of the key "already built" goes by.
//
//go:embed examples rootfs spark archive
var sources embed.FS

const usage = `usage:
  image spark  [--version 4.1.4] [--out FILE.tar] [--mirror URI]
  image remove --version 4.1.4 [--out FILE.tar]
  image binary --name NAME:TAG --binary FILE [--entrypoint /NAME] [--user 65532] --out FILE.tar
  image layout --name NAME:TAG --out FILE.tar ARCHIVE...
  image sbom   --binary FILE --version VERSION --out FILE.json
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := dispatch(ctx, os.Args[1:])
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "image: interrupted; a second run goes on with the layers that are complete")
		os.Exit(1)
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintf(os.Stderr, "image: %s\n", strings.TrimSpace(err.Error()))
		os.Exit(1)
	}
}

func dispatch(ctx context.Context, args []string) error {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return flag.ErrHelp
	}
	switch args[0] {
	case "spark":
		return buildSpark(ctx, args[1:])
	case "remove":
		return removeSpark(args[1:])
	case "binary":
		return buildBinary(args[1:])
	case "layout":
		return buildLayout(args[1:])
	case "sbom":
		return buildSBOM(args[1:])
	}
	fmt.Fprint(os.Stderr, usage)
	return fmt.Errorf("unknown command %q", args[0])
}

func buildSpark(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("image spark", flag.ContinueOnError)
	version := flags.String("version", "4.1.4", "the `version` of Spark, 3.5.0 or later")
	out := flags.String("out", "", "the archive to write (default: in the user's cache folder)")
	mirror := flags.String("mirror", "", "the `URI` of a Debian archive (default: the one this machine uses)")
	if err := parse(flags, args); err != nil {
		return err
	}
	builder, err := newBuilder(*mirror)
	if err != nil {
		return err
	}
	return builder.Build(ctx, *version, archiveOf(builder, *version, *out))
}

func removeSpark(args []string) error {
	flags := flag.NewFlagSet("image remove", flag.ContinueOnError)
	version := flags.String("version", "", "the `version` of Spark")
	out := flags.String("out", "", "the archive that was written (default: in the user's cache folder)")
	if err := parse(flags, args); err != nil {
		return err
	}
	builder, err := newBuilder("")
	if err != nil {
		return err
	}
	return builder.Remove(*version, archiveOf(builder, *version, *out))
}

func newBuilder(mirror string) (spark.Builder, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return spark.Builder{}, fmt.Errorf("%w: set HOME", err)
	}
	return spark.Builder{
		Host:     spark.ThisHost(),
		Progress: spark.NewProgress(os.Stdout, time.Now),
		Sources:  sources,
		Cache:    filepath.Join(cache, "sparkgate", "image"),
		Mirror:   mirror,
	}, nil
}

// archiveOf is where an image is written unless the caller says so.
func archiveOf(b spark.Builder, version, out string) string {
	if out != "" {
		return out
	}
	return filepath.Join(b.Cache, "spark-"+version+".tar")
}

func parse(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		return flag.ErrHelp // flags printed what is wrong
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return nil
}
