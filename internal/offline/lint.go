// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/internal/offline/internal/manifests"
)

// File is a file of manifests: YAML documents, or JSON.
type File struct {
	// Name is used in messages only.
	Name string
	Text []byte
}

// Finding is a mistake in a file, or a warning about it. Values of sensitive properties are masked.
type Finding = manifests.Finding

// Linted is the result of Lint.
type Linted struct {
	// Checked is the number of objects of the project's kinds.
	Checked  int
	Findings []Finding
}

// Lint checks every SparkApplication, ScheduledSparkApplication, SparkQueue and SparkFlavor in the files against the
// schema of the API and the rules of the operator. Other objects are ignored, except a ConfigMap that an application
// names as its sparkConfigMap. Lint does not check what only a cluster knows: whether other objects exist, and the
// defaults of a namespace. An error means a bug in this program.
func Lint(files []File) (Linted, error) {
	objects, findings := read(files)
	found, checked, err := manifests.Check(objects)
	if err != nil {
		return Linted{}, err
	}
	return Linted{Checked: checked, Findings: slices.Concat(findings, found, manifests.Hints(objects))}, nil
}

// read reads all files, as far as possible if there are findings.
func read(files []File) ([]manifests.Object, []manifests.Finding) {
	var objects []manifests.Object
	var findings []manifests.Finding
	for _, file := range files {
		more, wrong := manifests.Read(file.Name, file.Text)
		objects, findings = append(objects, more...), append(findings, wrong...)
	}
	return objects, findings
}

// problems joins findings, one per line.
func problems(findings []manifests.Finding) string {
	lines := make([]string, 0, len(findings))
	for _, f := range findings {
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n")
}
