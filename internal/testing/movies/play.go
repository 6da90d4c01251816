// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package movies

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/internal/testing/golden"
)

// Player plays one story.
type Player interface {
	// Play runs a command and writes its result. It returns false if there is no such command.
	Play(verb, rest string) bool
}

// Play plays all files testdata/*.movie, each with its own player, which writes to out.
func Play(t *testing.T, start func(t *testing.T, out io.Writer) Player) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.movie")
	if err != nil || len(files) == 0 {
		t.Fatalf("no movies: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".movie"), func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			out := &strings.Builder{}
			if err := play(string(want), out, start(t, out)); err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, file, out.String())
		})
	}
}

// play copies the lines that tell a story, runs the commands, and drops the earlier results.
func play(story string, out io.Writer, p Player) error {
	for line := range strings.Lines(story) {
		line = strings.TrimRight(line, "\n")
		command, played := strings.CutPrefix(line, "$ ")
		if !played && line != "" && !strings.HasPrefix(line, "#") {
			continue
		}
		fmt.Fprintln(out, line)
		if !played {
			continue
		}
		if verb, rest, _ := strings.Cut(command, " "); !p.Play(verb, rest) {
			return fmt.Errorf("%q is not a command", verb)
		}
	}
	return nil
}
