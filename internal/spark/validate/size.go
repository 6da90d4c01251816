// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// largestData is how many bytes one object of an attempt may hold. The limit of Kubernetes is a little higher, 1 MiB
// including metadata.
const largestData = 1_000_000

// Size reports ConfigMaps and Secrets of an attempt that are too large to be stored, and names their largest entries.
// It never shows their values.
func Size(app *v1alpha1.SparkApplication, objects render.Objects) []Finding {
	findings := tooLarge("spec", "the files of an attempt", objects.ConfigMap.Data, "put large files into the image or a volume")
	if objects.Secret != nil {
		for _, text := range objects.Secret.StringData {
			findings = append(findings, tooLarge("spec.sparkConfFrom", "the properties of an attempt", conf.Parse(text),
				"mount large values as files")...)
		}
	}
	for i, files := range objects.Files {
		findings = append(findings, tooLarge(configMapPath(app.Spec.ConfigMaps[i].Name)+".data", "the files of an entry", files.Data,
			"divide them among entries, or put large files into the image or a volume")...)
	}
	return findings
}

// tooLarge reports data that is too large, with its largest entries.
func tooLarge(field, what string, data map[string]string, remedy string) []Finding {
	type entry struct {
		key  string
		size int
	}
	entries := make([]entry, 0, len(data))
	total := 0
	for key, value := range data {
		entries = append(entries, entry{key, len(key) + len(value)})
		total += len(key) + len(value)
	}
	if total <= largestData {
		return nil
	}
	slices.SortFunc(entries, func(a, b entry) int {
		if a.size != b.size {
			return b.size - a.size
		}
		return strings.Compare(a.key, b.key)
	})
	const named = 3
	var largest []string
	for _, e := range entries[:min(named, len(entries))] {
		largest = append(largest, fmt.Sprintf("%s (%d)", e.key, e.size))
	}
	return []Finding{invalid(field, "%s have %d bytes together, more than %d; the largest are %s: %s", what, total, largestData, strings.Join(largest, ", "), remedy)}
}

// Stub reports an application that is too large to be kept in memory, so that nothing else about it can be checked.
func Stub(app *v1alpha1.SparkApplication) []Finding {
	if app.Stub == nil {
		return nil
	}
	return []Finding{TooLarge(app.Stub.Size)}
}

// TooLarge reports an application or schedule whose metadata and spec take more than v1alpha1.MaxApplicationSize. size
// is in bytes, as JSON.
func TooLarge(size int) Finding {
	return invalid("spec", "metadata and spec take %d bytes as JSON, of at most %d together: put large files into the image, a volume or a ConfigMap, and shorten templates and annotations",
		size, v1alpha1.MaxApplicationSize)
}
