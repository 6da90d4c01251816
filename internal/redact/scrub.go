// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Masked stands where something was hidden.
const Masked = "(hidden)"

const (
	// longest is how many bytes of text are looked at. Of a longer one nothing is shown.
	longest = 1 << 20
	// maxPasses is how often a text is gone through until nothing more is hidden in it. Two are the rule: one that
	// hides, one that finds nothing.
	maxPasses = 6
)

// escapes are the sequences with which programs colour and move on a terminal (ECMA-48), and set its title.
var escapes = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\^_])")

// Text returns a text without secrets and without characters that do more than print. Tabs become spaces; lines stay
// lines. Text of the result is the result.
func Text(text string) string { return (*Known)(nil).Text(text) }

// Text returns the function Text that also hides the known secrets, wherever they stand.
func (k *Known) Text(text string) string {
	if len(text) > longest {
		return Masked
	}
	text = printable(text)
	for range maxPasses {
		before := text
		text = entropy(tokens(named(shapes(k.hide(text)))))
		if text == before {
			return text
		}
		if len(text) > longest {
			break
		}
	}
	return Masked
}

// Line returns Text of the first line that is not empty, in at most limit bytes. It does not keep the memory of the
// whole text.
func Line(text string, limit int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if line == "" {
		return ""
	}
	return strings.Clone(First(Text(strings.TrimSpace(line)), limit))
}

// First returns the first bytes of a text, cut at the border of a character, with an ellipsis if anything was cut.
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

// printable removes what is not text: escape sequences, control characters, what is not UTF-8, and invisible characters
// that change the order or the look of others.
func printable(text string) string {
	text = escapes.ReplaceAllString(text, "")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\r':
			return '\n' // a line that was written over itself
		case r == '\t':
			return ' '
		case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), r == '\u2028', r == '\u2029':
			return -1
		}
		return r
	}, text)
}
