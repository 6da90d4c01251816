// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"errors"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/internal/tools/offline/internal/manifests"
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
	// Checked is the number of objects of the project's kinds and of kubeflow's operator, Convertible that of the latter.
	Checked, Convertible int
	Findings             []Finding
}

// Object is an object of a file. One without kind is a document that is not a manifest.
type Object = manifests.Object

// Lint checks every SparkApplication, ScheduledSparkApplication, SparkQueue and SparkFlavor in the files against the
// schema of the API and the rules of the operator, and says of objects of kubeflow's operator what Convert says, notes
// as warnings. Other objects are ignored, except a ConfigMap that an application names as its sparkConfigMap. Lint does
// not check what only a cluster knows: whether other objects exist, and the defaults of a namespace. An error means a
// bug in this program.
func Lint(files []File) (Linted, error) {
	objects, findings := Read(files)
	found, checked, err := Check(objects)
	if err != nil {
		return Linted{}, err
	}
	linted := Linted{Checked: checked, Findings: slices.Concat(findings, found, manifests.Hints(objects))}
	for i := range objects {
		if !IsKubeflow(&objects[i]) {
			continue
		}
		c := Converted{Object: objects[i]}
		if err := c.translate(objects); err != nil {
			return Linted{}, err
		}
		for n := range c.Notes {
			c.Notes[n].Warning = true
		}
		linted.Checked, linted.Convertible = linted.Checked+1, linted.Convertible+1
		linted.Findings = append(linted.Findings, append(c.Refusals, c.Notes...)...)
	}
	return linted, nil
}

// Read returns the objects of the files, and findings about documents that cannot be read.
func Read(files []File) ([]Object, []Finding) {
	var objects []Object
	var findings []Finding
	for _, file := range files {
		more, wrong := manifests.Read(file.Name, file.Text)
		objects, findings = append(objects, more...), append(findings, wrong...)
	}
	return objects, findings
}

// Check returns what Lint finds in objects that have been read, and how many are of the project's kinds.
func Check(objects []Object) (findings []Finding, checked int, err error) {
	return manifests.Check(objects)
}

// checked returns the objects of the files and the warnings about them. An error lists the mistakes.
func checked(files []File) ([]Object, []Finding, error) {
	objects, findings := Read(files)
	found, _, err := Check(objects)
	if err != nil {
		return nil, nil, err
	}
	var wrong []string
	findings = append(findings, found...)
	for _, f := range findings {
		if !f.Warning {
			wrong = append(wrong, f.String())
		}
	}
	if len(wrong) > 0 {
		return nil, nil, errors.New(strings.Join(wrong, "\n"))
	}
	return objects, findings, nil
}
