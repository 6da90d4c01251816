// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// bookkeeping are the labels by which Spark keeps its books; those of executors include all.
var bookkeeping = []string{
	"spark-version", v1alpha1.SparkSelectorLabel, "spark-app-name", v1alpha1.SparkRoleLabel, "spark-exec-id", "spark-exec-resourceprofile-id",
}

// reserved returns whose label a key is, or nothing if it is free.
func reserved(key string) string {
	switch {
	case slices.Contains(bookkeeping, key):
		return "Spark"
	case strings.HasPrefix(key, v1alpha1.Group+"/"):
		return "Sparkgate"
	}
	return ""
}

// checkLabels looks at labels, annotations and node selectors, wherever they come from.
func checkLabels(s *subject) []Finding {
	var findings []Finding
	for _, r := range s.roles {
		for _, family := range []struct {
			prefix string
			check  func(field, key, value string) []Finding
		}{
			{r.Name.Key("label."), labelFindings},
			{r.Name.Key("annotation."), annotationFindings},
			{r.Name.Key("node.selector."), selectorFindings},
		} {
			for _, property := range s.properties.WithPrefix(family.prefix) {
				findings = append(findings, family.check(property.Origin.Field, property.Name, property.Value)...)
			}
		}
		path := r.Path + ".template.metadata"
		findings = append(findings, eachEntry(path+".labels", r.parts.Template.Labels, labelFindings)...)
		findings = append(findings, eachEntry(path+".annotations", r.parts.Template.Annotations, annotationFindings)...)
		findings = append(findings, eachEntry(r.Path+".template.spec.nodeSelector", r.parts.Template.Spec.NodeSelector, selectorFindings)...)
	}
	for _, property := range s.properties.WithPrefix(conf.Driver.Key("volumes.persistentVolumeClaim.")) {
		if _, key, ok := strings.Cut(property.Name, ".label."); ok {
			findings = append(findings, labelFindings(property.Origin.Field, key, property.Value)...)
		}
	}
	for _, property := range s.properties.WithPrefix(conf.NodeSelectorPrefix) {
		findings = append(findings, selectorFindings(property.Origin.Field, property.Name, property.Value)...)
	}
	for _, property := range s.properties.WithPrefix(conf.DriverServiceLabels) {
		findings = append(findings, labelFindings(property.Origin.Field, property.Name, property.Value)...)
	}
	return findings
}

// checkTokens reports tokens that the version does not replace: Kubernetes would refuse the label, and there is no such
// image.
func checkTokens(s *subject) []Finding {
	version := s.spec.SparkVersion
	var findings []Finding
	for _, property := range s.properties.WithPrefix(conf.Driver.Key("label.")) {
		if strings.Contains(property.Value, "{{") && !render.ReplacesLabelTokens(version) {
			findings = append(findings, invalid(property.Origin.Field,
				"value %s has a token, which Spark %s replaces in annotations only: write it out, or use Spark 4.0 or later",
				conf.Quote(property.Key, property.Value), version))
		}
	}
	for _, key := range []string{conf.Image, conf.Driver.Key("container.image"), conf.Executor.Key("container.image")} {
		if image := s.properties.Get(key, ""); strings.Contains(image, "{{") && !render.ReplacesImageTokens(version) {
			findings = append(findings, invalid(s.properties.Field(key),
				"value %q has a token, which Spark %s does not replace: write it out, or use Spark 4.1 or later", image, version))
		}
	}
	return findings
}

// eachEntry checks the entries of a map.
func eachEntry(path string, entries map[string]string, check func(field, key, value string) []Finding) []Finding {
	var findings []Finding
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		findings = append(findings, check(conf.At(path, key), key, entries[key])...)
	}
	return findings
}

// labelFindings checks a label of a pod.
func labelFindings(field, key, value string) []Finding {
	if owner := reserved(key); owner != "" {
		return []Finding{invalid(field, "the label %q is reserved by %s: use another key", key, owner)}
	}
	return selectorFindings(field, key, value)
}

// anyID is as long as every application id.
const anyID = "spark-00000000000000000000000000000000"

// selectorFindings checks key and value of any label. Spark's tokens count as text that fits.
func selectorFindings(field, key, value string) []Finding {
	if len(validation.IsQualifiedName(key)) > 0 {
		return []Finding{invalid(field, "invalid label key %q: use letters, digits, '-', '_' and '.', with a domain and '/' before it if need be", key)}
	}
	filled := strings.NewReplacer("{{APP_ID}}", anyID, "{{EXECUTOR_ID}}", "1").Replace(value)
	if len(validation.IsValidLabelValue(filled)) > 0 {
		return []Finding{invalid(field, "invalid label value %s: use at most 63 letters, digits, '-', '_' and '.'", conf.Quote(key, value))}
	}
	return nil
}

// annotationFindings checks the key of an annotation; values are free.
func annotationFindings(field, key, _ string) []Finding {
	if len(validation.IsQualifiedName(strings.ToLower(key))) > 0 {
		return []Finding{invalid(field, "invalid annotation key %q: use letters, digits, '-', '_' and '.', with a domain and '/' before it if need be", key)}
	}
	return nil
}

// checkEnvironment holds the names of environment variables to what Kubernetes takes.
func checkEnvironment(s *subject) []Finding {
	var findings []Finding
	for _, family := range []string{conf.DriverEnvPrefix, conf.ExecutorEnvPrefix, conf.Driver.Key("secretKeyRef."), conf.Executor.Key("secretKeyRef.")} {
		for _, property := range s.properties.WithPrefix(family) {
			if len(validation.IsEnvVarName(property.Name)) > 0 {
				findings = append(findings, invalid(property.Origin.Field, "invalid environment variable name %q: use letters, digits, '-', '_' and '.'", property.Name))
			}
		}
	}
	for _, r := range s.roles {
		for _, variable := range r.Fields.Env {
			if len(validation.IsEnvVarName(variable.Name)) > 0 {
				findings = append(findings, invalid(conf.At(r.Path+".env", variable.Name), "invalid environment variable name %q: use letters, digits, '-', '_' and '.'", variable.Name))
			}
		}
	}
	return findings
}
