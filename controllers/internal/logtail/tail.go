// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package logtail

import (
	"strings"

	"github.com/sparkgate/sparkgate/internal/redact"
)

// MaxBytes is how long a tail is at most.
const MaxBytes = 2048

// MaxLines is how many lines a tail has at most.
const MaxLines = 100

// Tail returns the end of a log: its last lines that are not empty, as many whole ones as fit into MaxBytes, without
// secrets and control characters. Of a last line that does not fit alone it is the beginning.
func Tail(log string, lines int) string {
	all := strings.Split(redact.Text(log), "\n")
	var kept []string
	left := MaxBytes
	for i := len(all) - 1; i >= 0 && len(kept) < lines; i-- {
		line := strings.TrimRight(all[i], " ")
		if line == "" {
			continue
		}
		if len(kept) == 0 {
			line = redact.First(line, MaxBytes)
		}
		if left -= len(line) + len("\n"); left < -len("\n") {
			break
		}
		kept = append(kept, line)
	}
	for i, j := 0, len(kept)-1; i < j; i, j = i+1, j-1 {
		kept[i], kept[j] = kept[j], kept[i]
	}
	return strings.Join(kept, "\n")
}
