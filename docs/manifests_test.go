// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// ownKinds make an empty object of each of our kinds.
var ownKinds = map[string]func() any{
	"SparkApplication":          func() any { return &v1alpha1.SparkApplication{} },
	"ScheduledSparkApplication": func() any { return &v1alpha1.ScheduledSparkApplication{} },
	"SparkQueue":                func() any { return &v1alpha1.SparkQueue{} },
	"SparkFlavor":               func() any { return &v1alpha1.SparkFlavor{} },
}

var separator = regexp.MustCompile(`(?m)^---$`)

// partOf begins a block that shows a part of an object only.
var partOf = regexp.MustCompile(`^# part of a (\w+)\n`)

// TestEveryManifestIsOne: every YAML block parses; those of our kinds strictly into our types, where a field that does not exist,
// or stands twice, is an error.
func TestEveryManifestIsOne(t *testing.T) {
	t.Parallel()
	own := 0
	for _, p := range pages(t) {
		for _, s := range p.sections {
			for _, f := range s.fences {
				if f.language != "yaml" {
					continue
				}
				for _, doc := range separator.Split(f.text, -1) {
					kind, err := parse(doc)
					if err != nil {
						t.Errorf("%s:%d: %v", p.path, f.line, err)
					}
					if ownKinds[kind] != nil {
						own++
					}
				}
			}
		}
	}
	if own < 5 {
		t.Errorf("only %d manifests of our kinds were found", own)
	}
}

// parse returns the kind of a manifest.
func parse(doc string) (string, error) {
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if m := partOf.FindStringSubmatch(strings.TrimLeft(doc, "\n")); m != nil {
		head.Kind = m[1]
	} else if err := yaml.Unmarshal([]byte(doc), &head); err != nil {
		return "", err
	}
	if make, found := ownKinds[head.Kind]; found && (head.APIVersion == "" || head.APIVersion == v1alpha1.GroupVersion.String()) {
		return head.Kind, yaml.UnmarshalStrict([]byte(doc), make())
	}
	var anything map[string]any
	return head.Kind, yaml.UnmarshalStrict([]byte(doc), &anything)
}
