// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package logtail

import (
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/internal/redact"
)

// MaxBytes is the maximum length of a tail, in bytes.
const MaxBytes = 2048

// MaxLines is the maximum number of lines in a tail.
const MaxLines = 100

// Log is what is kept of the log of a failed program.
type Log struct {
	// Tail is the end of the log. If the cause is further up, it consists of the lines around the cause, followed by
	// the end.
	Tail string
	// Cause says in one line why the program failed; empty if the log does not show it.
	Cause string
}

// Read returns what is kept of a log, without secrets and control characters: as many of the last non-empty lines as
// are wanted and fit into MaxBytes. Lines are kept whole, except that a last line that does not fit on its own is cut
// off.
func Read(log string, lines int) Log {
	all := strings.Split(redact.Text(log), "\n")
	for i := range all {
		all[i] = strings.TrimRight(all[i], " ")
	}
	at, cause := causeOf(all)
	all, at = withoutEmpty(all, at)
	from := last(all, lines, MaxBytes)
	const least = 4 // enough lines to show a cause and an end
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

// withoutEmpty removes empty lines. It also returns the new index of the line at.
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

// last returns the index of the first of the last lines that fit into a number of lines and bytes. At least one line
// counts as fitting.
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

// cut shortens a single line that does not fit.
func cut(lines []string, most int) []string {
	if len(lines) == 1 {
		return []string{redact.First(lines[0], most)}
	}
	return lines
}
