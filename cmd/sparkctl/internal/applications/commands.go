// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package applications

import (
	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
)

// Commands returns the commands about applications.
func Commands(s cli.Streams) []*cobra.Command {
	return []*cobra.Command{
		newList(s), newGet(s), newLogs(s), newEvents(s), newWatch(s), newExplain(s), newAdvise(s), newUI(s), newConnect(s),
		newSubmit(s), newRerun(s), newSuspend(s), newResume(s), newDelete(s),
	}
}
