// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

const renderText = `Prints the objects that the operator would create for the applications in FILE, in the order in which it
creates them, without a cluster.

Some values are known only in a cluster, and are constants here: the uid is
00000000-0000-0000-0000-000000000000 (all names depend on it), spark.app.submitTime is 0, and the queue is
spec.queue.name or default. There is no grant: all executors are requested, and the pods have no node selector
or toleration of a flavor. A ConfigMap that spec.sparkConfigMap names is read if it is in the files.`

// newRender returns the command "sparkctl render".
func newRender(s cli.Streams) *cobra.Command {
	var names cli.FileNames
	var r offline.Rendering
	c := &cobra.Command{
		Use: "render -f FILE", Short: "Print the objects that the operator would create", Long: renderText,
		Example: "  sparkctl render -f etl.yaml\n  sparkctl render -n etl -f apps/ --run 2 --attempt 1",
		Args:    cli.NoArguments,
		RunE:    func(*cobra.Command, []string) error { return render(names, r, s) },
	}
	names.Declare(c.Flags())
	c.Flags().StringVarP(&r.Namespace, "namespace", "n", "", "the namespace of applications that name none (default: default)")
	c.Flags().Int64Var(&r.Run, "run", 1, "the number of the run")
	c.Flags().Int64Var(&r.Attempt, "attempt", 1, "the number of the attempt within the run")
	return c
}

func render(names cli.FileNames, r offline.Rendering, s cli.Streams) error {
	if r.Run < 1 || r.Attempt < 1 {
		return cli.UsageErrorf("--run and --attempt count from 1")
	}
	files, err := names.Read(s.In)
	if err != nil {
		return err
	}
	r.Files = files
	rendered, err := offline.Render(r)
	if err != nil {
		return fmt.Errorf("this cannot be rendered:\n%w", err)
	}
	for _, n := range rendered.Notes {
		fmt.Fprintf(s.Err, "sparkctl render: note: %s\n", n)
	}
	_, err = s.Out.Write(rendered.Manifests)
	return err
}
