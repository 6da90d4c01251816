// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

const lintText = `Checks the SparkApplications, ScheduledSparkApplications, SparkQueues and SparkFlavors in FILE against the
schema of the API and the operator's own rules, without a cluster. FILE and -f FILE mean the same.

Each line names file, line, object and field, and says what to do. Of manifests of kubeflow's operator, lint says
what convert says, notes as warnings. Objects of other kinds are ignored, but a ConfigMap that
spec.sparkConfigMap names is read if it is in the files. Warnings are about settings that this
version does not honour yet, and settings that you should change. What needs a cluster is not checked: whether
other objects exist, and what the namespace adds.

The exit code is 1 if there is anything to correct, with --strict also if nothing was checked, and 2 if the call cannot be understood.`

// newLint returns the command "sparkctl lint".
func newLint(s cli.Streams) *cobra.Command {
	var names cli.FileNames
	var strict bool
	c := &cobra.Command{
		SuggestFor: []string{"validate"},
		Use:        "lint FILE...", Short: "Check manifests with the operator's own rules", Long: lintText,
		Example: "  sparkctl lint apps/ queues.yaml\n  kustomize build overlays/prod | sparkctl lint --strict -",
		RunE:    func(_ *cobra.Command, args []string) error { return lint(append(names, args...), strict, s) },
	}
	names.Declare(c.Flags())
	c.Flags().BoolVar(&strict, "strict", false, "treat warnings as errors")
	return c
}

func lint(names cli.FileNames, strict bool, s cli.Streams) error {
	files, err := names.Read(s.In)
	if err != nil {
		return err
	}
	linted, err := offline.Lint(files)
	if err != nil {
		return err
	}
	for _, f := range linted.Findings {
		fmt.Fprintln(s.Out, f)
	}
	wrong := cli.Count(linted.Findings)
	warnings := len(linted.Findings) - wrong
	fmt.Fprintf(s.Out, "%s checked: %d to correct, %s\n", printer.Count(linted.Checked, "object"), wrong, printer.Count(warnings, "warning"))
	nothing := linted.Checked == 0 && wrong == 0
	if nothing {
		fmt.Fprintf(s.Err, "sparkctl lint: note: nothing was checked, because no object has the apiVersion %s; docs/coming-from-kubeflow.md and sparkctl from-submit help to write one\n",
			v1alpha1.GroupVersion)
	}
	if linted.Convertible > 0 {
		fmt.Fprintf(s.Err, "sparkctl lint: note: %s of kubeflow's operator, which sparkctl convert prints as ours\n",
			printer.Count(linted.Convertible, "object"))
	}
	switch {
	case wrong > 0:
		return errors.New("the files have errors")
	case strict && warnings > 0:
		return errors.New("the files have warnings, which --strict treats as errors")
	case strict && nothing:
		return errors.New("nothing was checked, which --strict treats as an error")
	}
	return nil
}
