// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"bufio"
	"slices"
	"strings"
	"testing"
)

// TestReadLogLine: log lines of any length and with any bytes become short lines of printable characters.
func TestReadLogLine(t *testing.T) {
	t.Parallel()
	in := bufio.NewReaderSize(strings.NewReader("plain\n\x1b[31mred\x1b[0m\ta\r\n"+strings.Repeat("x", 3*maxLine)+"\n\u202eevil\nno end"), maxLine)
	var lines []string
	for {
		line, err := readLogLine(in)
		if err != nil {
			break
		}
		lines = append(lines, line)
	}
	want := []string{"plain", `\x1b[31mred\x1b[0m    a`, strings.Repeat("x", maxLine) + " …", `\u202eevil`, "no end"}
	if !slices.Equal(lines, want) {
		t.Errorf("(-want +got)\n- %.300q\n+ %.300q", want, lines)
	}
}
