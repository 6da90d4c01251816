// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
)

// Commands returns the commands about queues.
func Commands(s cli.Streams) []*cobra.Command {
	return []*cobra.Command{
		newDashboard(s), newQueue(s), newPlan(s), newUsage(s),
	}
}
