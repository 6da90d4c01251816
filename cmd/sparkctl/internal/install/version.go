// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/tools/client"
)

// versionTime bounds the requests of version.
const versionTime = 10 * time.Second

const versionText = `Prints the version of sparkctl, the image of the operator's Deployments in the cluster, and the versions of
the CRDs.`

// versionFlags are the flags of version.
type versionFlags struct {
	cluster client.Options
	client  bool
}

// newVersion returns the command "sparkctl version".
func newVersion(s cli.Streams) *cobra.Command {
	var f versionFlags
	c := &cobra.Command{
		Use: "version", Short: "Print the versions of sparkctl, the operator and the CRDs", Long: versionText, Args: cli.NoArguments,
		Example: "  sparkctl version\n  sparkctl version --client",
		RunE:    func(c *cobra.Command, _ []string) error { return f.run(c.Context(), s) },
	}
	cli.AddClusterFlags(c, &f.cluster)
	f.cluster.AddOperatorFlag(c.Flags())
	c.Flags().BoolVar(&f.client, "client", false, "only the version of sparkctl, without a cluster")
	return c
}

func (f *versionFlags) run(ctx context.Context, s cli.Streams) error {
	if _, err := fmt.Fprintf(s.Out, "%-10s %s\n", "sparkctl", OwnVersion()); err != nil || f.client {
		return err
	}
	c, err := client.Connect(f.cluster)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	operators, err := client.Operators(ctx, c)
	switch {
	case err != nil && !client.IsForbidden(err):
		return err
	case err != nil:
		fmt.Fprintf(s.Out, "%-10s not known: %v\n", "operator", err)
	case len(operators) == 0:
		fmt.Fprintf(s.Out, "%-10s no Deployment in namespace %s: name another one with --operator-namespace\n", "operator", f.cluster.Operator)
	}
	for _, o := range operators {
		fmt.Fprintf(s.Out, "%-10s %s (%s)\n", "operator", o.Image, o.Name)
	}
	for _, name := range crds {
		versions, err := client.CRDVersions(ctx, c, name)
		text := strings.Join(versions, ", ")
		if err != nil {
			text = "not known: " + err.Error()
		}
		fmt.Fprintf(s.Out, "%-10s %s: %s\n", "CRD", name, text)
	}
	return nil
}

// OwnVersion returns the version with which this program was built.
func OwnVersion() string {
	build, known := debug.ReadBuildInfo()
	if !known {
		return "(unknown)"
	}
	text := build.Main.Version
	for _, setting := range build.Settings {
		if setting.Key == "vcs.revision" {
			text += ", commit " + setting.Value
		}
	}
	return fmt.Sprintf("%s, %s, %s/%s", text, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
