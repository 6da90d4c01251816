// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// propertyNames are the properties that Spark 4.1.4 knows, one a line; test/record writes them.
//
//go:embed properties.txt
var propertyNames string

var properties = sync.OnceValue(func() []string { return strings.Fields(propertyNames) })

// misspelled returns a warning for each property that Spark does not know and whose name is almost that of one. Others
// may be read by libraries or by the job itself.
func misspelled(sparkConf map[string]string) []Finding {
	var findings []Finding
	for _, key := range slices.Sorted(maps.Keys(sparkConf)) {
		if meant := nearest(key); meant != "" {
			findings = append(findings, Finding{Warning: true, Field: "spec.sparkConf[" + key + "]", Message: fmt.Sprintf(
				"Spark has no property %s: did you mean %s?", key, meant)})
		}
	}
	return findings
}

// farthest is how many characters of a name may be missing, too many, wrong, or in the wrong order.
const farthest = 2

// nearest returns the property whose name is nearest to one that Spark does not know; empty if it knows the name, or
// none is near.
func nearest(key string) string {
	if _, known := slices.BinarySearch(properties(), key); known || !strings.HasPrefix(key, "spark.") {
		return ""
	}
	best, meant := farthest+1, ""
	for _, name := range properties() {
		if d := distance(strings.ToLower(key), strings.ToLower(name)); d < best {
			best, meant = d, name
		}
	}
	return meant
}

// distance returns how many characters differ between two texts, where two neighbours that changed places count once;
// farthest+1 if more than farthest do.
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
