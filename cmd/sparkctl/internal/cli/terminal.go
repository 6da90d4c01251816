// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escapingWriter writes text that others may have influenced, such as names, messages and files. It escapes control
// characters except for line ends and tabs, such as \x1b, so that no text can move the cursor or change the terminal.
// YAML and JSON are not affected if they are escaped beforehand.
type escapingWriter struct{ io.Writer }

// Write expects whole UTF-8 characters: a call must not end within one.
func (w escapingWriter) Write(text []byte) (int, error) {
	if !bytes.ContainsFunc(text, controls) {
		return w.Writer.Write(text)
	}
	var out bytes.Buffer
	for rest := text; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, rest[0])
		case r != utf8.RuneError && r > utf8.RuneSelf*2 && controls(r):
			fmt.Fprintf(&out, `\u%04x`, r)
		case r != utf8.RuneError && controls(r):
			fmt.Fprintf(&out, `\x%02x`, r)
		default:
			out.Write(rest[:size])
		}
		rest = rest[size:]
	}
	if _, err := w.Writer.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Escaped returns JSON in which all control characters are escaped. JSON may contain those from 0x7f upwards, and after
// the terminal's own escapes it would no longer be JSON.
func Escaped(text []byte) []byte {
	if !bytes.ContainsFunc(text, writtenOut) {
		return text
	}
	var out bytes.Buffer
	for _, r := range string(text) {
		if writtenOut(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
	return out.Bytes()
}

// writtenOut reports whether the terminal escapes a character of a valid text.
func writtenOut(r rune) bool { return r != utf8.RuneError && controls(r) }

// controls reports whether a character is a control character of ASCII or Latin-1, changes the direction of the text that
// follows, or is not a valid character.
func controls(r rune) bool {
	const space, delete, lastControl = 0x20, 0x7f, 0x9f
	return r < space && r != '\n' && r != '\t' || r >= delete && r <= lastControl || r == utf8.RuneError || unicode.Is(unicode.Bidi_Control, r)
}

// Clean returns a text with its control characters escaped.
func Clean(text string) string {
	var out strings.Builder
	_, _ = escapingWriter{&out}.Write([]byte(text)) // a strings.Builder never fails
	return out.String()
}
