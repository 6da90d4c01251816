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

	"github.com/sparkgate/sparkgate/internal/nearest"
)

// propertyNames are the properties that the recorded versions of Spark know, one a line; test/record writes them.
//
//go:embed properties.txt
var propertyNames string

var properties = sync.OnceValue(func() []string { return strings.Fields(propertyNames) })

// misspelled returns a warning for each property that Spark does not know and whose name is almost that of one. Others
// may be read by libraries or by the job itself.
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

// meantProperty returns the property whose name is nearest to one that Spark does not know; empty if it knows the name, or
// none is near.
func meantProperty(key string) string {
	if _, known := slices.BinarySearch(properties(), key); known || !strings.HasPrefix(key, "spark.") {
		return ""
	}
	return nearest.To(key, properties())
}
