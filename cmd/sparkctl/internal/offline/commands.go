// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
)

// Commands returns the commands that need no cluster.
func Commands(s cli.Streams) []*cobra.Command {
	return []*cobra.Command{
		newFromSubmit(s), newConvert(s), newRender(s), newLint(s), newDiagnose(s), newDiffSubmit(s), newSimulate(s), newReplay(s),
	}
}
