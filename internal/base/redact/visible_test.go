// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"strings"
	"testing"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                          "",
		`plain é 👍 \n "x"`:          `plain é 👍 \n "x"`,
		"a\nb\r\tc":                 `a\nb\r\tc`,
		"\x1b[31m\x00\x7f\u0085":    `\x1b[31m\x00\x7f\u0085`,
		"\u202eleft\u200b\ufeff":    `\u202eleft\u200b\ufeff`,
		"\u00a0\u2028":              `\u00a0\u2028`,
		"\xff\xc3":                  `\xff\xc3`,
		"a character lost: \ufffd!": "a character lost: \ufffd!",
	} {
		got := Visible(text)
		if got != want || !Prints(got) || Visible(got) != got {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
		if (got == text) != Prints(text) {
			t.Errorf("Prints(%q) is %t", text, Prints(text))
		}
	}
}

// FuzzVisible: the result prints, is one line, and loses nothing that prints.
func FuzzVisible(f *testing.F) {
	f.Add("a\x1b\u202e\xff\ufffd\n")
	f.Fuzz(func(t *testing.T, text string) {
		got := Visible(text)
		if !Prints(got) || strings.ContainsAny(got, "\n\r\x1b") || Visible(got) != got || len(got) < len(text) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
