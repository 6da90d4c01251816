// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sparkgate/sparkgate/internal/offline"
)

const fromSubmitText = `Prints the SparkApplication for a call of spark-submit: give everything behind the word spark-submit after --.

  --spark-version VERSION    of the Spark in the image; default: what the tag of the image begins with

    sparkctl from-submit -- --master k8s://https://example --deploy-mode cluster --name pi \
      --class org.apache.spark.examples.SparkPi --conf spark.kubernetes.container.image=apache/spark:4.1.4 \
      local:///opt/spark/examples/jars/spark-examples.jar 1000 > pi.yaml

A property becomes a field where a field says exactly the same, all others go into sparkConf. Files of properties and pod templates
are read; environment variables and the defaults of this machine are not: name spark-defaults.conf with --properties-file. The namespace
becomes metadata.namespace, the name a DNS label in metadata.name.

What is left out, and the Secret to create for values that look like secrets, are printed on standard error. What the operator would refuse is printed
there as well, with what to do; the application is printed then all the same, and the exit code is 1.
`

// fromSubmitCommand returns sparkctl from-submit.
func fromSubmitCommand(flags *flag.FlagSet, args []string, s streams) error {
	version := flags.String("spark-version", "", "")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return err
	case err != nil:
		return usageError{fmt.Errorf("%w; the arguments of spark-submit stand behind --", err)}
	case flags.NArg() == 0:
		return usageError{errors.New("give the arguments of spark-submit behind --")}
	}
	arguments := flags.Args()
	if filepath.Base(arguments[0]) == "spark-submit" {
		arguments = arguments[1:] // the whole command was pasted
	}
	submitted, err := offline.FromSubmit(offline.Submission{Arguments: arguments, SparkVersion: *version, ReadFile: os.ReadFile})
	if err != nil {
		tell("from-submit", submitted.Findings, s.err)
		return err
	}
	for _, n := range submitted.Notes {
		fmt.Fprintf(s.err, "sparkctl from-submit: note: %s\n", n)
	}
	refused := tell("from-submit", submitted.Findings, s.err)
	if _, err := s.out.Write(submitted.Manifest); err != nil {
		return err
	}
	if refused > 0 {
		return fmt.Errorf("the application would not run: %d to correct", refused)
	}
	return nil
}
