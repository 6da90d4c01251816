// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

// terminal writes text that others had a hand in: names, messages, files. Control characters but line ends and tabs are
// written out, such as \x1b, so that no text moves the cursor or changes the terminal. YAML and JSON never have such
// characters, so they stay as they are.
type terminal struct{ io.Writer }

// Write writes whole characters; a call does not end within one.
func (t terminal) Write(text []byte) (int, error) {
	if !bytes.ContainsFunc(text, controls) {
		return t.Writer.Write(text)
	}
	var out bytes.Buffer
	for rest := text; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, rest[0])
		case r != utf8.RuneError && controls(r):
			fmt.Fprintf(&out, `\x%02x`, r)
		default:
			out.Write(rest[:size])
		}
		rest = rest[size:]
	}
	if _, err := t.Writer.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(text), nil
}

// controls reports whether a character is a control character of ASCII or Latin 1, or none at all.
func controls(r rune) bool {
	const space, delete, lastControl = 0x20, 0x7f, 0x9f
	return r < space && r != '\n' && r != '\t' || r >= delete && r <= lastControl || r == utf8.RuneError
}
