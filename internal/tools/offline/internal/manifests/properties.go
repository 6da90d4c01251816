// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	_ "embed"
	"maps"
	"regexp"
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

// free matches properties below spark.kubernetes. whose names end as users choose.
var free = regexp.MustCompile(`^spark\.kubernetes\.(?:(?:(?:driver|executor)\.)?(?:annotation|label|node\.selector|secrets|secretKeyRef|volumes|service\.label|service\.annotation)\.|driverEnv\.|authenticate\.|test\.)`)

// misspelled returns a warning for each property that Spark does not know but whose name is similar to one that it
// knows, or below spark.kubernetes. Other unknown properties may be for libraries or the job itself.
func misspelled(sparkConf map[string]string) []Finding {
	var findings []Finding
	for _, key := range slices.Sorted(maps.Keys(sparkConf)) {
		remedy := ""
		if meant := meantProperty(key); meant != "" {
			remedy = "did you mean " + meant + "?"
		} else if rest, below := strings.CutPrefix(key, "spark.kubernetes."); below && !isKnown(key) && !free.MatchString(key) {
			remedy = "remove it, or set a field of spec"
			if isKnown("spark." + rest) {
				remedy = "did you mean spark." + rest + "?"
			}
		}
		if remedy != "" {
			findings = append(findings, Finding{Warning: true, Field: "spec.sparkConf[" + key + "]", Message: "Spark has no property " + key + ": " + remedy})
		}
	}
	return findings
}

func isKnown(key string) bool {
	_, known := slices.BinarySearch(properties(), key)
	return known
}

// meantProperty returns the known property with the name nearest to key; empty if key is known, or if no name is near.
func meantProperty(key string) string {
	if isKnown(key) || !strings.HasPrefix(key, "spark.") {
		return ""
	}
	return nearest.To(key, properties())
}
