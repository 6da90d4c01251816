// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

const convertText = `Prints the SparkApplications and ScheduledSparkApplications of kubeflow's spark-operator in FILE
(sparkoperator.k8s.io/v1beta2) as those of Sparkgate, without a cluster. FILE and -f FILE mean the same.

The result runs as the original: the image's user, no security defaults, one executor unless there are more,
no time limits. Standard error says of each object whether it was converted as it was, converted with notes,
or refused. A note names the field of the original and what it became; a refusal says what to do. What is
refused is not printed, and what is printed has passed the checks of lint.

The exit code is 1 if anything was refused or could not be read, and 2 if the call cannot be understood.`

// newConvert returns the command "sparkctl convert".
func newConvert(s cli.Streams) *cobra.Command {
	var names cli.FileNames
	var keep, strict bool
	c := &cobra.Command{
		Use: "convert FILE...", Short: "Print manifests of kubeflow's operator as ours", Long: convertText,
		Example: "  sparkctl convert -f jobs/ > ours.yaml\n  helm template etl | sparkctl convert --keep --strict - | kubectl apply -f -",
		RunE: func(_ *cobra.Command, args []string) error {
			return convert(append(names, args...), keep, strict, s)
		},
	}
	names.Declare(c.Flags())
	c.Flags().BoolVar(&keep, "keep", false, "also print the other objects, unchanged")
	c.Flags().BoolVar(&strict, "strict", false, "treat notes as errors")
	return c
}

func convert(names cli.FileNames, keep, strict bool, s cli.Streams) error {
	files, err := names.Read(s.In)
	if err != nil {
		return err
	}
	converted, unreadable, err := offline.Convert(files)
	if err != nil {
		return err
	}
	for _, f := range unreadable {
		fmt.Fprintln(s.Err, f)
	}
	var printed []string
	for i := range converted {
		if c := &converted[i]; c.Manifest != nil && (c.Foreign || keep) {
			printed = append(printed, string(c.Manifest))
		}
	}
	refused, noted := report(converted, s)
	refused += len(unreadable)
	if _, err := fmt.Fprint(s.Out, strings.Join(printed, "---\n")); err != nil {
		return err
	}
	switch {
	case refused > 0:
		return fmt.Errorf("%d refused or unreadable", refused)
	case strict && noted > 0:
		return errors.New("there are notes, which --strict treats as errors")
	}
	return nil
}

// report says what has become of each object of kubeflow's operator, and returns how many were refused, and how many
// notes there are.
func report(converted []offline.Converted, s cli.Streams) (refused, noted int) {
	foreign := 0
	for i := range converted {
		c := &converted[i]
		if !c.Foreign {
			continue
		}
		outcome := "converted as it was"
		switch {
		case len(c.Refusals) > 0:
			outcome = "refused"
			refused++
		case len(c.Notes) > 0:
			outcome = "converted with " + printer.Count(len(c.Notes), "note")
		}
		fmt.Fprintf(s.Err, "%s:%d: %s: %s\n", c.File, c.Line, strings.TrimSpace(c.Kind+" "+c.Name), outcome)
		printPlaced("refused", c.Refusals, s)
		printPlaced("note", c.Notes, s)
		noted, foreign = noted+len(c.Notes), foreign+1
	}
	if foreign == 0 {
		fmt.Fprintln(s.Err, "sparkctl convert: note: nothing was converted, because no object has the apiVersion sparkoperator.k8s.io/v1beta2")
	}
	return refused, noted
}

func printPlaced(word string, findings []offline.Finding, s cli.Streams) {
	for _, f := range findings {
		fmt.Fprintf(s.Err, "%s:%d: %s: %s: %s\n", f.File, f.Line, word, f.Field, f.Message)
	}
}
