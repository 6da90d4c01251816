// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package nearest

import "strings"

// farthest is the largest number of edits (a character missing, added, wrong, or swapped with its neighbour) at which a
// name still counts as near.
const farthest = 2

// To returns the name that is nearest to a wrong one, ignoring case; of several at the same distance, the first. It
// returns "" if none is near.
func To(wrong string, names []string) string {
	best, meant := farthest+1, ""
	for _, name := range names {
		if d := distance(strings.ToLower(wrong), strings.ToLower(name)); d < best {
			best, meant = d, name
		}
	}
	return meant
}

// distance returns the number of edits between two texts, where swapping two neighbours counts as one; farthest+1 if
// there are more than farthest.
func distance(a, b string) int {
	if len(a)-len(b) > farthest || len(b)-len(a) > farthest {
		return farthest + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		least := row[0]
		for j := range len(b) {
			differs := 1
			if a[i] == b[j] {
				differs = 0
			}
			row[j+1] = min(last[j]+differs, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
			least = min(least, row[j+1])
		}
		if least > farthest {
			return farthest + 1
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
