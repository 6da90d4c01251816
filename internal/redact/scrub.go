// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Masked replaces text that was hidden.
const Masked = "(hidden)"

const (
	// maxText is the size of the longest text that is shown, in bytes. A longer one is hidden as a whole.
	maxText = 1 << 20
	// maxPasses is the largest number of passes over a text. Passes stop once one hides nothing more; two are usual:
	// one that hides, and one that finds nothing.
	maxPasses = 6
)

// escapes matches the sequences that colour text or move the cursor on a terminal (ECMA-48), and those that set its
// title.
var escapes = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\^_])")

// Text returns a text without secrets and without characters that do more than print. Tabs become spaces; lines are
// kept. Text is idempotent.
func Text(text string) string { return (*Known)(nil).Text(text) }

// Text does what the function Text does, and also hides the known secrets wherever they occur.
func (k *Known) Text(text string) string {
	if len(text) > maxText {
		return Masked
	}
	text = printable(text)
	for range maxPasses {
		before := text
		text = entropy(tokens(named(shapes(k.hide(text)))))
		if text == before {
			return text
		}
		if len(text) > maxText {
			break
		}
	}
	return Masked
}

// quotedValue matches a value in a message of this program.
var quotedValue = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// addresses matches user and password in an address.
var addresses = regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.-]*://)[^\s/?#"'<>]*@`)

// Addresses returns a text without users and passwords in addresses.
func Addresses(text string) string { return addresses.ReplaceAllString(text, "${1}"+Masked+"@") }

// Quoted returns a message of this program without the passwords within the values that it quotes: those in addresses,
// and those whose names say that they are secret. Unlike Text it keeps everything else.
func Quoted(message string) string {
	return quotedValue.ReplaceAllStringFunc(message, func(value string) string { return named(shapes(value)) })
}

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

// printable removes everything that is not printable text: escape sequences, control characters, invalid UTF-8, and
// invisible characters that change the order or the look of others.
func printable(text string) string {
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
