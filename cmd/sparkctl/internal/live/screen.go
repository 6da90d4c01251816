// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"io"
	"strings"
	"time"

	"k8s.io/utils/clock"
)

const (
	// redrawEvery is the interval at which the ages are updated.
	redrawEvery = time.Second
	// redrawPause is the minimum time between two frames.
	redrawPause = 200 * time.Millisecond
)

// Control sequences of ECMA-48, and private modes of DEC that all terminals support.
const (
	enter = "\x1b[?1049h\x1b[?25l\x1b[?7l" // alternate screen, no cursor, no line wrapping
	leave = "\x1b[?7h\x1b[?25h\x1b[?1049l"
	home  = "\x1b[H"
	// clearLine clears the rest of the line, and clearRest the rest of the screen.
	clearLine, clearRest = "\x1b[K", "\x1b[J"
)

// Screen draws a board on a terminal.
type Screen struct {
	Out   io.Writer
	Board *Board
	// Frame returns the layout for the current size of the terminal.
	Frame func() Frame
	Clock clock.WithTicker
}

// Run draws until ctx ends. Then it restores the terminal.
func (s *Screen) Run(ctx context.Context) error {
	if _, err := io.WriteString(s.Out, enter); err != nil {
		return err
	}
	defer io.WriteString(s.Out, leave) //nolint:errcheck // the terminal is gone if it fails
	ticks := s.Clock.NewTicker(redrawEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C():
		case <-s.Board.changed:
		}
		if err := s.draw(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.Clock.After(redrawPause):
		}
	}
}

func (s *Screen) draw() error {
	var text strings.Builder
	text.WriteString(home)
	for i, line := range s.Frame().Lines(s.Board.View(s.Clock.Now())) {
		if i > 0 {
			text.WriteString("\r\n")
		}
		text.WriteString(line + clearLine)
	}
	text.WriteString(clearRest)
	_, err := io.WriteString(s.Out, text.String())
	return err
}
