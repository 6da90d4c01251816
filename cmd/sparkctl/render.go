// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"

	"github.com/sparkgate/sparkgate/internal/offline"
)

const renderText = `Prints the objects that the operator would create for the applications in FILE (- is the standard input; -f can be given several times, and
may name folders), in the order in which it creates them, without a cluster.

  -n, --namespace NAMESPACE    of applications that name none; default: default
  --run N                      default: 1
  --attempt N                  default: 1

Only a cluster knows some things. They stand as constants here: the uid is 00000000-0000-0000-0000-000000000000 (all names hang on it),
spark.app.submitTime is 0, the queue is spec.queue.name or default. Nothing is granted: all executors are requested, and the pods have no
node selector or toleration of a flavor. A ConfigMap that spec.sparkConfigMap names is read if it is in the files.
`

// renderCommand returns sparkctl render.
func renderCommand(flags *flag.FlagSet, args []string, s streams) error {
	var names fileNames
	var r offline.Rendering
	names.declare(flags)
	for _, name := range []string{"n", "namespace"} {
		flags.StringVar(&r.Namespace, name, "", "")
	}
	flags.Int64Var(&r.Run, "run", 1, "")
	flags.Int64Var(&r.Attempt, "attempt", 1, "")
	if err := parse(flags, args); err != nil {
		return err
	}
	if r.Run < 1 || r.Attempt < 1 {
		return usageError{errors.New("--run and --attempt count from 1")}
	}
	files, err := names.read(s.in)
	if err != nil {
		return err
	}
	r.Files = files
	rendered, err := offline.Render(r)
	if err != nil {
		return fmt.Errorf("this cannot be rendered:\n%w", err)
	}
	for _, n := range rendered.Notes {
		fmt.Fprintf(s.err, "sparkctl render: note: %s\n", n)
	}
	_, err = s.out.Write(rendered.Manifests)
	return err
}
