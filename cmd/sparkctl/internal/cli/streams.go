// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"

	"k8s.io/utils/clock"
)

// Streams are the inputs and outputs of a command.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// Raw is Out without the filter of control characters.
	Raw io.Writer
	// Size returns the size of the terminal; nil if Out is not a terminal.
	Size func() (width, height int)
	// Clock returns the current time; nil is the real clock.
	Clock clock.PassiveClock
}

// Filtered returns streams that escape control characters of the output, with the real clock if there is none.
func (s Streams) Filtered() Streams {
	s.Raw, s.Out, s.Err = s.Out, escapingWriter{s.Out}, escapingWriter{s.Err}
	if s.Clock == nil {
		s.Clock = clock.RealClock{}
	}
	return s
}

// Width returns the width of the terminal, or 0 if Out is not a terminal.
func (s *Streams) Width() int {
	if s.Size == nil {
		return 0
	}
	width, _ := s.Size()
	return width
}

// Warn writes a warning about an object to Err, unless it is empty.
func (s *Streams) Warn(object, warning string) {
	if warning != "" {
		fmt.Fprintf(s.Err, "warning: %s: %s\n", object, warning)
	}
}
