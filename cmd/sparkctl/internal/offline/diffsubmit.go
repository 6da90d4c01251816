// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

const diffSubmitText = `Compares the objects that Sparkgate creates for a job with those that a real spark-submit has sent, one
recording after the other: the call is translated as by from-submit, the objects are built as by render, and
every difference is either listed in docs/deviations.md or printed.

RECORDING is a JSON file; - is standard input:

  {"sparkVersion": "4.1.4", "name": "pi", "args": ["--master", …], "env": {"SPARK_USER": "spark"},
   "files": {"template.yaml": "…"}, "requests": [{"method": "POST", "path": "…", "body": "…"}], "exit": 0}

  args             all arguments of spark-submit; /TMP is the folder of the files, /SPARK_HOME the installation
  env              variables beyond those of a clean environment; null removes one
  files            contents of files by name, as text; filesBase64 has them encoded
  requests         what was sent, in order, each body as the exact text
  exit             exit code; errorLines and stderrTail are what spark-submit printed
  serverRefuses    {"POST pods": 409}: the server refused this; only what was sent is compared

Other keys are ignored. A job that spark-submit refuses must be refused here as well. A job that only
Sparkgate refuses must be listed.

The exit code is 0 if only listed deviations were found, 1 if anything else differs, and 2 if a recording
cannot be read.`

// newDiffSubmit returns the command "sparkctl diff-submit".
func newDiffSubmit(s cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use: "diff-submit RECORDING...", Short: "Compare with what a real spark-submit has sent", Long: diffSubmitText,
		Example: "  sparkctl diff-submit recordings/*.json",
		RunE:    func(_ *cobra.Command, args []string) error { return diffSubmit(args, s) },
	}
}

func diffSubmit(names []string, s cli.Streams) error {
	if len(names) == 0 {
		return cli.UsageErrorf("name a recording")
	}
	var unreadable []error
	different := 0
	for _, name := range names {
		diff, err := diffFile(name, s.In)
		if err != nil {
			unreadable = append(unreadable, fmt.Errorf("%s: %w", cli.ShownName(name), err))
			continue
		}
		printDiff(name, diff, s.Out)
		if len(diff.Differences) > 0 {
			different++
		}
	}
	if len(unreadable) > 0 {
		return cli.UsageErrorf("%w", errors.Join(unreadable...))
	}
	if different > 0 {
		return fmt.Errorf("%d of %d recordings differ", different, len(names))
	}
	return nil
}

// diffFile compares one recording.
func diffFile(name string, in io.Reader) (offline.Diff, error) {
	text, err := cli.Read(name, in)
	if err != nil {
		return offline.Diff{}, err
	}
	return offline.DiffSubmit([]byte(text))
}

// printDiff writes the result of a comparison.
func printDiff(name string, diff offline.Diff, out io.Writer) {
	verdict := "equal"
	if n := len(diff.Differences); n > 0 {
		verdict = printer.Count(n, "difference")
	}
	fmt.Fprintf(out, "%s: Spark %s: %s (%s)\n", cli.ShownName(name), diff.SparkVersion, verdict, diff.Outcome)
	for _, d := range diff.Differences {
		fmt.Fprintf(out, "  difference: %s\n", strings.ReplaceAll(d, "\n", "\n    "))
	}
	for _, d := range diff.Deviations {
		fmt.Fprintf(out, "  listed: %s: %s\n", d.Where, d.Reason)
	}
}
