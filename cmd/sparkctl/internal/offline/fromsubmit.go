// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
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
func newFromSubmit(s cli.Streams) *cobra.Command {
	var version string
	c := &cobra.Command{
		Use: "from-submit [--spark-version VERSION] -- ARGUMENT...", Short: "Print the SparkApplication for a spark-submit command", Long: fromSubmitText,
		Example: fromSubmitExample, DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, args []string) error { return fromSubmit(version, args, s) },
	}
	c.Flags().SetInterspersed(false)
	c.Flags().StringVar(&version, "spark-version", "", "the `VERSION` of Spark in the image (default: the version at the beginning of the image tag)")
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return cli.UsageErrorf("%w; put the arguments of spark-submit after --", err)
	})
	return c
}

func fromSubmit(version string, arguments []string, s cli.Streams) error {
	if len(arguments) == 0 {
		return cli.UsageErrorf("give the arguments of spark-submit after --")
	}
	arguments = cli.WithoutProgram(arguments)
	submitted, err := offline.FromSubmit(offline.Submission{Arguments: arguments, SparkVersion: version, ReadFile: os.ReadFile, Variable: os.Getenv})
	if err != nil {
		cli.PrintFindings("from-submit", submitted.Findings, s.Err)
		return err
	}
	for _, n := range submitted.Notes {
		fmt.Fprintf(s.Err, "sparkctl from-submit: note: %s\n", n)
	}
	refused := cli.PrintFindings("from-submit", submitted.Findings, s.Err)
	if _, err := s.Out.Write(submitted.Manifest); err != nil {
		return err
	}
	if refused > 0 {
		return fmt.Errorf("the application would not run: %d to correct", refused)
	}
	return nil
}
