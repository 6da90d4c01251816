// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/queueing/embedded/decisionlog"
)

const replayText = `Plays the decision log in FILE (- is standard input) against a new engine, and compares each answer with the
recorded one. The operator writes such a log with --decision-log FILE.

It prints how much was played, or fails at the first answer that differs, with the line, what was recorded and
what is decided now. A log that was cut off in the middle of a line is played up to there.

Use the sparkctl of the version that wrote the log: another version may decide differently for good reasons.`

// newReplay returns the command "sparkctl replay".
func newReplay(s cli.Streams) *cobra.Command {
	var file string
	c := &cobra.Command{
		Use: "replay -f FILE", Short: "Play a decision log of the operator again and compare", Long: replayText,
		Example: "  sparkctl replay -f decisions.jsonl",
		Args:    cli.NoArguments,
		RunE:    func(*cobra.Command, []string) error { return replay(file, s) },
	}
	c.Flags().StringVarP(&file, "filename", "f", "", "the decision log; - is standard input")
	return c
}

func replay(file string, s cli.Streams) error {
	if file == "" {
		return cli.UsageErrorf("name the decision log with -f FILE")
	}
	in := s.In
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return fmt.Errorf("read the decision log: %w", err)
		}
		defer opened.Close()
		in = opened
	}
	result, err := decisionlog.Replay(in)
	if err != nil {
		return replayError(file, err)
	}
	return printReplay(result, s.Out)
}

// replayError adds a hint to a difference if another version wrote the log, because that may be the reason.
func replayError(file string, err error) error {
	const unknown = "(unknown)"
	err = fmt.Errorf("%s: %w", cli.ShownName(file), err)
	var difference *decisionlog.Difference
	if own := decisionlog.ProgramVersion(); errors.As(err, &difference) && difference.Version != own {
		err = fmt.Errorf("%w\nthe log was written by version %s and this is %s: play it with the sparkctl of that version first", err,
			cmp.Or(difference.Version, unknown), cmp.Or(own, unknown))
	}
	return err
}

func printReplay(r decisionlog.Result, out io.Writer) error {
	text := fmt.Sprintf("%d calls, %d grants, all as recorded\n", r.Calls, r.Grants)
	if r.Cut {
		text += "the last line is cut off and was left out\n"
	}
	if r.End != "" {
		text += "the log ends before the operator did: " + r.End + "\n"
	}
	_, err := io.WriteString(out, text)
	return err
}
