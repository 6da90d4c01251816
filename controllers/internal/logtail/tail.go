// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package logtail

import (
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/internal/redact"
)

// MaxBytes is how long a tail is at most.
const MaxBytes = 2048

// MaxLines is how many lines a tail has at most.
const MaxLines = 100

// Log is what is kept of the log of a program that has failed.
type Log struct {
	// Tail is its end; if the cause precedes it, the lines around the cause and then the end.
	Tail string
	// Cause is why the program failed, in one line; empty if the log does not say so.
	Cause string
}

// Read takes from a log what is kept of it, without secrets and control characters: so many of its last lines that are not empty, as many
// whole ones as fit into MaxBytes, and of a last line that does not fit alone the beginning.
func Read(log string, lines int) Log {
	all := strings.Split(redact.Text(log), "\n")
	for i := range all {
		all[i] = strings.TrimRight(all[i], " ")
	}
	at, cause := causeOf(all)
	all, at = withoutEmpty(all, at)
	from := last(all, lines, MaxBytes)
	const least = 4 // lines that show a cause and an end
	if at < 0 || at >= from || lines < least {
		return Log{Tail: strings.Join(cut(all[from:], MaxBytes), "\n"), Cause: cause}
	}
	const gap = "…"
	around := all[max(0, at-lines/2) : at+1]
	around = around[last(around, lines/2, MaxBytes/2):]
	const left = MaxBytes/2 - len("\n"+gap+"\n")
	from = max(at+1, last(all, max(1, lines-len(around)-1), left))
	return Log{Tail: strings.Join(slices.Concat(cut(around, MaxBytes/2), []string{gap}, cut(all[from:], left)), "\n"), Cause: cause}
}

// withoutEmpty leaves out empty lines, and returns where the line at is then.
func withoutEmpty(lines []string, at int) ([]string, int) {
	var kept []string
	now := -1
	for i, line := range lines {
		if i == at {
			now = len(kept)
		}
		if line != "" {
			kept = append(kept, line)
		}
	}
	return kept, now
}

// last returns where the last lines begin that fit into a number of lines and of bytes; at least one does.
func last(lines []string, most, left int) int {
	from := len(lines)
	for from > 0 && len(lines)-from < most {
		if left -= len(lines[from-1]) + len("\n"); left < -len("\n") && from < len(lines) {
			break
		}
		from--
	}
	return from
}

// cut shortens a line that does not fit alone.
func cut(lines []string, most int) []string {
	if len(lines) == 1 {
		return []string{redact.First(lines[0], most)}
	}
	return lines
}
