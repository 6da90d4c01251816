// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
)

// Commands returns the commands about the installation.
func Commands(s cli.Streams) []*cobra.Command {
	return []*cobra.Command{
		newVersion(s), newUninstall(s),
	}
}
