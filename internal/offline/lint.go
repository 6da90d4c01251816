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
	// Name is for messages only.
	Name string
	Text []byte
}

// Finding is something about a file that has to be changed, or had better be. Values of sensitive properties are hidden
// in it.
type Finding = manifests.Finding

// Linted is what there is to say about files.
type Linted struct {
	// Checked is how many objects of the project's kinds there were.
	Checked  int
	Findings []Finding
}

// Lint checks every SparkApplication, ScheduledSparkApplication, SparkQueue and SparkFlavor of the files with the
// schema of the API and the operator's own rules. Other objects are ignored, but a ConfigMap that an application names
// as its sparkConfigMap is taken from the files if it is there. What needs a cluster is not checked: whether other
// objects exist, and what the defaults of a namespace add. An error is a mistake of the program.
func Lint(files []File) (Linted, error) {
	objects, findings := read(files)
	found, checked, err := manifests.Check(objects)
	if err != nil {
		return Linted{}, err
	}
	return Linted{Checked: checked, Findings: slices.Concat(findings, found, manifests.Hints(objects))}, nil
}

// read reads all files; those about which there is a finding as far as possible.
func read(files []File) ([]manifests.Object, []manifests.Finding) {
	var objects []manifests.Object
	var findings []manifests.Finding
	for _, file := range files {
		more, wrong := manifests.Read(file.Name, file.Text)
		objects, findings = append(objects, more...), append(findings, wrong...)
	}
	return objects, findings
}

// problems joins findings into one text, one a line.
func problems(findings []manifests.Finding) string {
	lines := make([]string, 0, len(findings))
	for _, f := range findings {
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n")
}
