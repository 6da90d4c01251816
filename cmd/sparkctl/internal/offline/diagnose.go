// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/job/cause"
)

const diagnoseText = `Says why a Spark program failed, according to its log in FILE, and what to change: the same as the message of a
failed application. FILE - is standard input. The log may be that of a driver or of an executor, of any cluster.

The exit code is 1 if the log does not say it.`

// diagnosis is what -o json prints. Line counts from 1; it is 0 if the cause is not in one line.
type diagnosis struct {
	Cause  string `json:"cause"`
	Remedy string `json:"remedy"`
	Line   int    `json:"line"`
}

func newDiagnose(s cli.Streams) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use: "diagnose FILE", Short: "Find the cause of a failure in a log", Long: diagnoseText,
		Example: "  sparkctl diagnose driver.log\n  kubectl logs pi-driver | sparkctl diagnose - -o json",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.UsageErrorf("name one log, or - for standard input")
			}
			return diagnose(args[0], output, s)
		},
	}
	cli.AddOutputFlag(c, &output, "text", "json")
	return c
}

func diagnose(file, output string, s cli.Streams) error {
	log, err := cli.Read(file, s.In)
	if err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	var d diagnosis
	d.Cause, d.Line = cause.Locate(log)
	role := "driver"
	if strings.Contains(log, "ExecutorBackend") { // the class that runs in executors
		role = "executor"
	}
	d.Remedy = cause.RemedyOf(d.Cause, role)
	switch {
	case output == "json":
		err = cli.WriteObject(s.Out, output, d)
	case d.Cause != "":
		where := cli.ShownName(file)
		if d.Line > 0 {
			where += ":" + strconv.Itoa(d.Line)
		}
		_, err = fmt.Fprintf(s.Out, "%s: %s\n", where, d.Cause)
		if err == nil && d.Remedy != "" {
			_, err = fmt.Fprintln(s.Out, d.Remedy)
		}
	}
	if err == nil && d.Cause == "" {
		err = errors.New("the log does not say why the program failed")
	}
	return err
}
