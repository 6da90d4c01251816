// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Prints reports whether a text is valid UTF-8 and only prints: it has no control characters, no white space but the
// plain space, and no invisible characters.
func Prints(text string) bool {
	for i, r := range text {
		if !strconv.IsPrint(r) || r == utf8.RuneError && !isWritten(text[i:]) {
			return false
		}
	}
	return true
}

// isWritten reports whether a text starts with a real U+FFFD, not with an invalid byte.
func isWritten(text string) bool {
	_, size := utf8.DecodeRuneInString(text)
	return size > 1
}

// Visible returns a text in which every character that does more than print is written as Go would quote it, such as \n
// or \x1b, so that it can neither move the cursor nor start a new line. Everything else is unchanged. Visible is
// idempotent.
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
