// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

// Count returns the number of findings that are not warnings.
func Count(findings []offline.Finding) int {
	n := 0
	for _, f := range findings {
		if !f.Warning {
			n++
		}
	}
	return n
}

// PrintFindings writes findings without their line, for a manifest that is not a file yet, and returns how many of them
// are not warnings.
func PrintFindings(command string, findings []offline.Finding, out io.Writer) int {
	for _, f := range findings {
		word := "error"
		if f.Warning {
			word = "warning"
		}
		fmt.Fprintf(out, "sparkctl %s: %s: %s: %s\n", command, word, f.Field, f.Message)
	}
	return Count(findings)
}

// WithoutProgram removes the word spark-submit if a whole command was pasted.
func WithoutProgram(arguments []string) []string {
	if len(arguments) > 0 && filepath.Base(arguments[0]) == "spark-submit" {
		return arguments[1:]
	}
	return arguments
}
