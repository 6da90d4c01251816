// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Prints reports whether a text is valid UTF-8 and nothing in it does more than print: no control characters, no blanks
// but the plain space, no invisible characters.
func Prints(text string) bool {
	for i, r := range text {
		if !strconv.IsPrint(r) || r == utf8.RuneError && !isWritten(text[i:]) {
			return false
		}
	}
	return true
}

// isWritten reports whether a text begins with U+FFFD itself, and not with a byte that is not a character.
func isWritten(text string) bool {
	_, size := utf8.DecodeRuneInString(text)
	return size > 1
}

// Visible returns a text in which everything that does more than print is written out as Go would quote it, such as \n
// or \x1b, so that it can neither move a cursor nor begin a line of its own. All else stays as it is; Visible of the
// result is the result.
func Visible(text string) string {
	if Prints(text) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !isWritten(text[i:]):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}
