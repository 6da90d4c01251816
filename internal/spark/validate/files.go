// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// sorted sorts findings by field, for checks without an order of their own.
func sorted(findings []Finding) []Finding {
	slices.SortStableFunc(findings, func(a, b Finding) int { return strings.Compare(a.Field, b.Field) })
	return findings
}

// element is one file of a list, with its field.
type element struct{ field, uri string }

// lists are the properties that list files, with the typed field of each.
var lists = []struct {
	key, field string
	typed      func(*subject) []string
}{
	{conf.Jars, "spec.deps.jars", func(s *subject) []string { return s.spec.Deps.Jars }},
	{conf.Files, "spec.deps.files", func(s *subject) []string { return s.spec.Deps.Files }},
	{conf.PyFiles, "spec.deps.pyFiles", func(s *subject) []string { return s.spec.Deps.PyFiles }},
	{conf.Archives, "spec.deps.archives", func(s *subject) []string { return s.spec.Deps.Archives }},
}

// checkURIs reports files that the driver cannot fetch. spark-submit would upload files from its machine; the operator
// has no such machine.
func checkURIs(s *subject) []Finding {
	var findings []Finding
	for _, e := range s.files() {
		findings = append(findings, uriFindings(e)...)
	}
	if jars := s.properties.Get(conf.Jars, ""); s.spec.Type == v1alpha1.RApplication && len(conf.Split(jars)) > 0 {
		findings = append(findings, invalid(s.properties.Field(conf.Jars),
			"value %q is not possible with type R, for which Spark looks for R packages in jars of its own machine: put the jars into /opt/spark/jars of the image", jars))
	}
	return findings
}

// elements returns the files of a list: those of the typed field with their indexes, else those of the property.
func (s *subject) elements(key, field string, typed func(*subject) []string) []element {
	var elements []element
	if s.properties[key].Origin.Source == conf.TypedField && s.spec.Deps != nil {
		for i, uri := range typed(s) {
			elements = append(elements, element{field + "[" + strconv.Itoa(i) + "]", uri})
		}
		return elements
	}
	for _, uri := range conf.Split(s.properties.Get(key, "")) {
		elements = append(elements, element{s.properties.Field(key), uri})
	}
	return elements
}

// uriFindings checks the URI of a file.
func uriFindings(e element) []Finding {
	if strings.Contains(e.uri, ",") {
		return []Finding{invalid(e.field, "value %q has a comma, which separates files: write one entry for each file", e.uri)}
	}
	scheme, err := conf.Scheme(e.uri)
	switch {
	case errors.Is(err, conf.ErrNoScheme):
		return []Finding{invalid(e.field, "value %q has no scheme: write local:// before a path inside the image, or set a remote URI", e.uri)}
	case err != nil:
		return []Finding{invalid(e.field, "value %q %s: escape it as %%XX", e.uri, err.Error())}
	case scheme == "file":
		return []Finding{invalid(e.field,
			"value %q refers to a file on the submission host, which does not exist here: write local:// for a path inside the image, or set a remote URI", e.uri)}
	}
	return nil
}

// checkPackages checks the form of Maven coordinates.
func checkPackages(s *subject) []Finding {
	var findings []Finding
	for _, list := range []struct {
		key, form string
		parts     int
	}{
		{conf.Packages, "group:artifact:version", 3},
		{conf.PackageExcl, "group:artifact", 2},
	} {
		for _, coordinate := range conf.Split(s.properties.Get(list.key, "")) {
			parts := strings.Split(strings.ReplaceAll(coordinate, "/", ":"), ":")
			if len(parts) != list.parts || slices.Contains(parts, "") || strings.ContainsAny(coordinate, " \t\n") {
				findings = append(findings, invalid(s.properties.Field(list.key), "invalid Maven coordinate %q: write %s", coordinate, list.form))
			}
		}
	}
	if folder := s.properties.Get(ivyFolder, "/"); !strings.HasPrefix(folder, "/") {
		findings = append(findings, invalid(s.properties.Field(ivyFolder), "invalid path %q: set an absolute path such as /tmp/.ivy2", folder))
	}
	return findings
}

// ivyFolder is the property for the folder in which libraries with Maven coordinates are stored.
const ivyFolder = "spark.jars.ivy"
