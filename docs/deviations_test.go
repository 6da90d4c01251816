// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/internal/spark/deviations"
)

// TestTheListsOfDeviationsAreThoseOfTheCode, entry by entry: a table row has the places in its first cell and the reason in its second.
func TestTheListsOfDeviationsAreThoseOfTheCode(t *testing.T) {
	t.Parallel()
	for chapter, list := range map[string][]deviations.Deviation{
		"The list": deviations.Intended,
		"What spark-submit can do and Sparkgate refuses":  deviations.Rejections,
		"What depends on the submitting machine":          deviations.SubmissionHost,
		"What spark-submit refuses and Sparkgate accepts": deviations.Accepted,
	} {
		t.Run(chapter, func(t *testing.T) {
			t.Parallel()
			compareList(t, chapter, list)
		})
	}
}

// compareList compares the table of a chapter with a list of the code.
func compareList(t *testing.T, chapter string, code []deviations.Deviation) {
	t.Helper()
	var rows []string
	for _, s := range readPage(t, "docs/deviations.md").sections {
		if s.chapter != chapter {
			continue
		}
		for _, line := range s.lines {
			if strings.HasPrefix(line, "| `") {
				rows = append(rows, line)
			}
		}
	}
	if len(rows) != len(code) {
		t.Errorf("the page has %d entries, the code %d", len(rows), len(code))
	}
	for i, row := range rows[:min(len(rows), len(code))] {
		cells := strings.Split(row, "|")
		if got, want := spans(cells[1]), code[i].Where; !slices.Equal(got, want) {
			t.Errorf("entry %d: the places are %q in the page, %q in the code", i+1, got, want)
		}
		if got, want := strings.TrimSpace(cells[2]), code[i].Reason; got != want {
			t.Errorf("entry %d: the reason is %q in the page, %q in the code", i+1, got, want)
		}
	}
}
