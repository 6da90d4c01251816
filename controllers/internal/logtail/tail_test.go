// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package logtail

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRead(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 900)
	tests := map[string]struct {
		log   string
		lines int
		want  string
	}{
		"nothing":                    {"", 20, ""},
		"empty lines":                {"\n\n \n", 20, ""},
		"all of it":                  {"one\ntwo\n", 20, "one\ntwo"},
		"the last lines":             {"one\ntwo\nthree\n", 2, "two\nthree"},
		"empty lines do not count":   {"one\ntwo\n\n\nthree", 2, "two\nthree"},
		"whole lines that fit":       {long + "1\n" + long + "2\n" + long + "3", 20, long + "2\n" + long + "3"},
		"a last line that is longer": {"before\n" + strings.Repeat("é", 3000), 20, strings.Repeat("é", 1022) + "…"},
		"a secret":                   {"connect\n--db-password hunter2\n", 20, "connect\n--db-password (hidden)"},
		"colours and bars":           {"\x1b[31mred\x1b[0m\r\n[Stage 0]\rend", 20, "red\n[Stage 0]\nend"},
		"exactly as much as fits":    {strings.Repeat("a", 1023) + "\n" + strings.Repeat("b", 1024), 20, strings.Repeat("a", 1023) + "\n" + strings.Repeat("b", 1024)},
		"one byte too much":          {strings.Repeat("a", 1024) + "\n" + strings.Repeat("b", 1024), 20, strings.Repeat("b", 1024)},
		"a key that begins before":   {"AQAB\n-----END PRIVATE" + " KEY-----\nlast", 20, "(hidden)\nlast"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Read(tc.log, tc.lines).Tail; got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

// FuzzRead: a tail stays within its limits and is valid text, whatever a job prints.
func FuzzRead(f *testing.F) {
	f.Add("one\ntwo", 1)
	f.Add(strings.Repeat("é\n", 2000), 50)
	f.Add("Traceback (most recent call last):\n File\nValueError: a\n"+strings.Repeat("é\n", 2000), 4)
	f.Fuzz(func(t *testing.T, log string, lines int) {
		read := Read(log, lines)
		got := read.Tail
		if len(got) > MaxBytes || !utf8.ValidString(got) || got != "" && strings.Count(got, "\n")+1 > lines || len(read.Cause) > maxCause || !utf8.ValidString(read.Cause) {
			t.Errorf("%d lines of %q are %q (%d bytes)", lines, log, got, len(got))
		}
	})
}
