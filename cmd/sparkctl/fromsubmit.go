// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/internal/offline"
)

const fromSubmitText = `Prints the SparkApplication for a spark-submit command: put everything that follows the word spark-submit
after --.

A property becomes a field if there is one with exactly the same meaning; all others go into sparkConf.
Property files and pod templates are read. Environment variables and the defaults of this machine are not:
name spark-defaults.conf with --properties-file. The namespace becomes metadata.namespace, and the name
becomes metadata.name, as a DNS label.

Standard error has what is left out, the Secret to create for values that look like secrets, and what the
operator would refuse, with what to do. The application is printed even if the operator would refuse it, but
then the exit code is 1.`

const fromSubmitExample = `  sparkctl from-submit -- --master k8s://https://example --deploy-mode cluster --name pi \
    --class org.apache.spark.examples.SparkPi --conf spark.kubernetes.container.image=apache/spark:4.1.4 \
    local:///opt/spark/examples/jars/spark-examples.jar 1000 > pi.yaml`

// newFromSubmit returns the command "sparkctl from-submit".
func newFromSubmit(s streams) *cobra.Command {
	var version string
	c := &cobra.Command{
		SuggestFor: []string{"convert"},
		Use:        "from-submit [--spark-version VERSION] -- ARGUMENT...", Short: "Print the SparkApplication for a spark-submit command", Long: fromSubmitText,
		Example: fromSubmitExample, DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, args []string) error { return fromSubmit(version, args, s) },
	}
	c.Flags().SetInterspersed(false)
	c.Flags().StringVar(&version, "spark-version", "", "the `VERSION` of Spark in the image (default: the version at the beginning of the image tag)")
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; put the arguments of spark-submit after --", err)}
	})
	return c
}

func fromSubmit(version string, arguments []string, s streams) error {
	if len(arguments) == 0 {
		return usageError{errors.New("give the arguments of spark-submit after --")}
	}
	arguments = withoutProgram(arguments)
	submitted, err := offline.FromSubmit(offline.Submission{Arguments: arguments, SparkVersion: version, ReadFile: os.ReadFile})
	if err != nil {
		printFindings("from-submit", submitted.Findings, s.err)
		return err
	}
	for _, n := range submitted.Notes {
		fmt.Fprintf(s.err, "sparkctl from-submit: note: %s\n", n)
	}
	refused := printFindings("from-submit", submitted.Findings, s.err)
	if _, err := s.out.Write(submitted.Manifest); err != nil {
		return err
	}
	if refused > 0 {
		return fmt.Errorf("the application would not run: %d to correct", refused)
	}
	return nil
}

// withoutProgram removes the word spark-submit if a whole command was pasted.
func withoutProgram(arguments []string) []string {
	if len(arguments) > 0 && filepath.Base(arguments[0]) == "spark-submit" {
		return arguments[1:]
	}
	return arguments
}
