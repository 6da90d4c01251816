// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escapes matches the sequences that colour text or move the cursor on a terminal (ECMA-48), and those that set its
// title.
var escapes = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\^_])")

// Text returns a text with what it calls secret masked, and without characters that do more than print. Tabs become
// spaces; lines are kept. Text is idempotent.
func Text(text string) string { return Mask(Printable(text)) }

// Line returns Text of the first non-empty line, in at most limit bytes. The result does not keep the whole text in
// memory.
func Line(text string, limit int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if line == "" {
		return ""
	}
	return strings.Clone(First(Text(strings.TrimSpace(line)), limit))
}

// First returns at most limit bytes of a text, cut at a character boundary, with an ellipsis if anything was cut.
func First(text string, limit int) string {
	const ellipsis = "…"
	if len(text) <= limit {
		return text
	}
	end := max(limit-len(ellipsis), 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + ellipsis
}

// FirstCharacters returns the first characters of a text, at most limit of them, followed by an ellipsis if anything
// was cut.
func FirstCharacters(text string, limit int) string {
	for end := range text {
		if limit == 0 {
			return text[:end] + "…"
		}
		limit--
	}
	return text
}

// Printable removes everything that is not printable text: escape sequences, control characters, invalid UTF-8, and
// invisible characters that change the order or the look of others.
func Printable(text string) string {
	text = escapes.ReplaceAllString(text, "")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\r':
			// A line that was overwritten, such as a progress bar.
			return '\n'
		case r == '\t':
			return ' '
		case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), r == '\u2028', r == '\u2029':
			return -1
		}
		return r
	}, text)
}
