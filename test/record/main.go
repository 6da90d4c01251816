// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	version, only, cases, out, json, properties, executors string
}

func main() {
	var o options
	flag.StringVar(&o.version, "version", "4.1.4", "the Spark `version` to record")
	flag.StringVar(&o.only, "case", "", "record only this case; default: all of them")
	flag.StringVar(&o.cases, "cases", "cases", "`folder` of the case files")
	flag.StringVar(&o.out, "out", "../../internal/spark/render/testdata/recordings", "`folder` to write to")
	flag.StringVar(&o.json, "json", "", "write one file a case into this `folder` instead, as sparkctl diff-submit reads it")
	flag.StringVar(&o.properties, "properties", "", "add the names of Spark's properties to this `file` instead")
	flag.StringVar(&o.executors, "executors", "", "write the executors of what is recorded in --out into this `file` instead")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := record(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

var plainVersion = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`)

// record writes what the options say.
func record(ctx context.Context, o options, log io.Writer) error {
	if !plainVersion.MatchString(o.version) || flag.NArg() > 0 {
		return fmt.Errorf("set --version to a released Spark version such as 4.1.4, not %q", o.version)
	}
	switch {
	case o.properties != "":
		return recordProperties(ctx, o, log)
	case o.executors != "":
		return recordExecutors(ctx, o, log)
	}
	return recordCases(ctx, o, log)
}

// recordCases runs the cases and writes their recordings.
func recordCases(ctx context.Context, o options, log io.Writer) error {
	all, err := LoadCases(o.cases, o.version)
	if err != nil {
		return err
	}
	chosen := slices.DeleteFunc(slices.Clone(all), func(c Case) bool { return o.only != "" && c.Name != o.only })
	if len(chosen) == 0 {
		return fmt.Errorf("there is no case %q for Spark %s", o.only, o.version)
	}
	spark, err := FindSpark(ctx, o.version, log)
	if err != nil {
		return err
	}
	archive, err := archiveFor(ctx, spark)
	if err != nil {
		return err
	}
	server, err := StartServer()
	if err != nil {
		return err
	}
	defer server.Close()
	out := filepath.Join(o.out, o.version)
	submitter := &Submitter{Spark: spark, Server: server, Archive: archive, Now: time.Now}
	if o.json != "" {
		return recordInOneFile(ctx, submitter, o.json, chosen, log)
	}
	if err := (recorder{submitter, submitter.Submit, out, log}).all(ctx, chosen, recorder.one); err != nil {
		return err
	}
	return tidy(out, o.version, all)
}

// recorder writes recordings to the folder out and a line for each to log.
type recorder struct {
	submitter *Submitter
	submit    func(context.Context, Case) (Run, error)
	out       string
	log       io.Writer
}

// all continues after a case that fails, so that one call reports all of them.
func (r recorder) all(ctx context.Context, cases []Case, one func(recorder, context.Context, Case) (float64, error)) error {
	var failed []error
	for i, c := range cases {
		seconds, err := one(r, ctx, c)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("case %s: %w", c.Name, err))
		}
		fmt.Fprintf(r.log, "%3d/%d  %4.1f s  %s\n", i+1, len(cases), seconds, c.Name)
	}
	return errors.Join(failed...)
}

// one records a case and returns how many seconds spark-submit took.
func (r recorder) one(ctx context.Context, c Case) (float64, error) {
	run, err := r.submit(ctx, c)
	if err != nil {
		return 0, err
	}
	files, err := Recording(c, run, r.submitter.Spark.Version)
	if err != nil {
		return 0, err
	}
	return run.Ended.Sub(run.Started).Seconds(), Write(filepath.Join(r.out, c.Name+archiveSuffix), files, secrets(r.submitter.Spark, run))
}

// secrets are texts of this machine that no recording may have in it.
func secrets(spark *Spark, run Run) []string {
	texts := []string{run.Folder, spark.Home, spark.Cache, run.Address}
	if host, err := os.Hostname(); err == nil && len(host) >= 5 && host != "localhost" {
		texts = append(texts, host)
	}
	return texts
}

// tidy removes recordings of cases that no longer exist and writes the list of those that are.
func tidy(out, version string, all []Case) error {
	var list strings.Builder
	fmt.Fprintf(&list, "# Spark %s\n\nWritten by `go run . --version %s` in `test/record`; do not edit.\n\n| case | what it shows |\n|---|---|\n", version, version)
	known := map[string]bool{}
	for _, c := range all {
		known[c.Name] = true
		fmt.Fprintf(&list, "| [%s](%s) | %s |\n", c.Name, c.Name+archiveSuffix, strings.Join(strings.Fields(c.Description), " "))
	}
	recordings, err := filepath.Glob(filepath.Join(out, "*"+archiveSuffix))
	if err != nil {
		return err
	}
	for _, path := range recordings {
		if known[strings.TrimSuffix(filepath.Base(path), archiveSuffix)] {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(out, "README.md"), []byte(list.String()), 0o644)
}
