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

	"github.com/sparkgate/sparkgate/internal/base/nearest"
)

// propertyNames are the properties that the recorded versions of Spark know, one a line; test/record writes them.
//
//go:embed properties.txt
var propertyNames string

var properties = sync.OnceValue(func() []string { return strings.Fields(propertyNames) })

// misspelled returns a warning for each property that Spark does not know but whose name is similar to one that it
// knows. Other unknown properties may be for libraries or the job itself.
func misspelled(sparkConf map[string]string) []Finding {
	var findings []Finding
	for _, key := range slices.Sorted(maps.Keys(sparkConf)) {
		if meant := meantProperty(key); meant != "" {
			findings = append(findings, Finding{Warning: true, Field: "spec.sparkConf[" + key + "]", Message: fmt.Sprintf(
				"Spark has no property %s: did you mean %s?", key, meant)})
		}
	}
	return findings
}

// meantProperty returns the known property with the name nearest to key; empty if key is known, or if no name is near.
func meantProperty(key string) string {
	if _, known := slices.BinarySearch(properties(), key); known || !strings.HasPrefix(key, "spark.") {
		return ""
	}
	return nearest.To(key, properties())
}
