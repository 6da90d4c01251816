// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"bufio"
	"errors"
	"io"
	"sync"
)

// lineBuffer is the size of the buffer for a line, in bytes. Longer lines are written in pieces.
const lineBuffer = 64 << 10

// lineWriter writes the lines of several logs to one output. It is safe for concurrent use.
type lineWriter struct {
	mu  sync.Mutex
	out io.Writer
}

// copy copies a log line by line and writes the prefix before each line.
func (w *lineWriter) copy(log io.Reader, prefix string) error {
	in := bufio.NewReaderSize(log, lineBuffer)
	for begin := true; ; {
		text, err := in.ReadSlice('\n')
		if len(text) > 0 {
			if writeErr := w.write(prefix, text, begin); writeErr != nil {
				return writeErr
			}
			begin = text[len(text)-1] == '\n'
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

func (w *lineWriter) write(prefix string, text []byte, begin bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if begin && prefix != "" {
		text = append([]byte(prefix), text...)
	}
	if _, err := w.out.Write(text); err != nil {
		return &brokenOutput{err}
	}
	return nil
}

// brokenOutput wraps the error of an output that accepts no more lines.
type brokenOutput struct{ error }
