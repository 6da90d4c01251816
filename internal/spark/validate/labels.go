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

// bookkeeping are the labels that Spark itself uses. Executors have all of them.
var bookkeeping = []string{
	"spark-version", v1alpha1.SparkSelectorLabel, "spark-app-name", v1alpha1.SparkRoleLabel, "spark-exec-id", "spark-exec-resourceprofile-id",
}

// reserved returns who owns a label, "" if users may set it.
func reserved(key string) string {
	switch {
	case slices.Contains(bookkeeping, key):
		return "Spark"
	case strings.HasPrefix(key, v1alpha1.Group+"/"):
		return "Sparkgate"
	}
	return ""
}

// entry is a label, an annotation or an entry of a node selector, with its field.
type entry struct {
	field, key, value string
	// filled is the value that Kubernetes gets, after Spark has replaced tokens.
	filled string
}

// plain returns the entry of a property in which Spark replaces no tokens.
func plain(property conf.Named) entry {
	return entry{property.Origin.Field, property.Name, property.Value, property.Value}
}

// checkLabels checks labels, annotations and node selectors from all sources.
func checkLabels(s *subject) []Finding {
	var findings []Finding
	for _, r := range s.roles {
		for _, property := range s.properties.WithPrefix(r.Name.Key("label.")) {
			e := plain(property)
			e.filled = s.replaced(r.Name, e.value)
			findings = append(findings, labelFindings(e)...)
		}
		findings = append(findings, s.eachProperty(r.Name.Key("annotation."), annotationFindings)...)
		findings = append(findings, s.eachProperty(r.Name.Key("node.selector."), selectorFindings)...)
		path := r.Path + ".template.metadata"
		findings = append(findings, eachEntry(path+".labels", r.parts.Template.Labels, labelFindings)...)
		findings = append(findings, eachEntry(path+".annotations", r.parts.Template.Annotations, annotationFindings)...)
		findings = append(findings, eachEntry(r.Path+".template.spec.nodeSelector", r.parts.Template.Spec.NodeSelector, selectorFindings)...)
	}
	for _, r := range s.roles {
		findings = append(findings, claimLabels(s.properties, r.Name)...)
	}
	findings = append(findings, s.eachProperty(conf.NodeSelectorPrefix, selectorFindings)...)
	return append(findings, s.eachProperty(conf.DriverServiceLabels, labelFindings)...)
}

// claimLabels checks the labels of claims that are created for a role.
func claimLabels(p conf.Properties, r conf.Role) []Finding {
	var findings []Finding
	for _, property := range p.WithPrefix(r.Key("volumes.persistentVolumeClaim.")) {
		if _, key, ok := strings.Cut(property.Name, ".label."); ok {
			property.Name = key
			findings = append(findings, labelFindings(plain(property))...)
		}
	}
	return findings
}

// Tokens that Spark replaces in annotations of pods and, in newer versions, in their labels, if these come from
// properties.
const (
	applicationToken = "{{APP_ID}}"
	executorToken    = "{{EXECUTOR_ID}}"
	// anyID has the length of every application id.
	anyID = "spark-00000000000000000000000000000000"
)

// replaced returns a label value of a role with its tokens replaced. In the driver the token for the number of the
// executor becomes empty.
func (s *subject) replaced(r conf.Role, value string) string {
	if !render.ReplacesLabelTokens(s.spec.SparkVersion) {
		return value
	}
	number := ""
	if r == conf.Executor {
		number = "1"
	}
	return strings.NewReplacer(applicationToken, anyID, executorToken, number).Replace(value)
}

// checkTokens reports tokens that this version of Spark does not replace. Kubernetes would refuse such a label, and
// such an image does not exist.
func checkTokens(s *subject) []Finding {
	version := s.spec.SparkVersion
	var findings []Finding
	for _, r := range s.roles {
		for _, property := range s.properties.WithPrefix(r.Name.Key("label.")) {
			if strings.Contains(property.Value, "{{") && !render.ReplacesLabelTokens(version) {
				findings = append(findings, invalid(property.Origin.Field,
					"value %s has a token, which Spark %s replaces in annotations only: write it out, or use Spark 4.0 or later",
					conf.Quote(property.Key, property.Value), version))
			}
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
func eachEntry(path string, entries map[string]string, check func(entry) []Finding) []Finding {
	var findings []Finding
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		findings = append(findings, check(entry{conf.At(path, key), key, entries[key], entries[key]})...)
	}
	return findings
}

// eachProperty checks the properties of a family in which Spark replaces no tokens that matter.
func (s *subject) eachProperty(prefix string, check func(entry) []Finding) []Finding {
	var findings []Finding
	for _, property := range s.properties.WithPrefix(prefix) {
		findings = append(findings, check(plain(property))...)
	}
	return findings
}

// labelFindings checks a label of a pod.
func labelFindings(e entry) []Finding {
	if owner := reserved(e.key); owner != "" {
		return []Finding{invalid(e.field, "the label %q is reserved by %s: use another key", e.key, owner)}
	}
	return selectorFindings(e)
}

// selectorFindings checks key and value of a label or an entry of a node selector.
func selectorFindings(e entry) []Finding {
	if len(validation.IsQualifiedName(e.key)) > 0 {
		return []Finding{invalid(e.field, "invalid label key %q: use letters, digits, '-', '_' and '.', optionally after a domain and '/'", e.key)}
	}
	switch value := conf.Quote(e.key, e.value); {
	case len(validation.IsValidLabelValue(e.filled)) == 0:
		return nil
	case strings.Contains(e.filled, applicationToken) || strings.Contains(e.filled, executorToken):
		return []Finding{invalid(e.field, "value %s has a token, which Spark replaces in the labels of spec.driver.labels and spec.executor.labels only: write it out", value)}
	default:
		return []Finding{invalid(e.field, "invalid label value %s: use at most 63 letters, digits, '-', '_' and '.'", value)}
	}
}

// annotationFindings checks the key of an annotation. Any value is allowed.
func annotationFindings(e entry) []Finding {
	if len(validation.IsQualifiedName(strings.ToLower(e.key))) > 0 {
		return []Finding{invalid(e.field, "invalid annotation key %q: use letters, digits, '-', '_' and '.', optionally after a domain and '/'", e.key)}
	}
	return nil
}

// checkEnvironment checks the names of environment variables.
func checkEnvironment(s *subject) []Finding {
	var findings []Finding
	for _, family := range []string{conf.DriverEnvPrefix, conf.ExecutorEnvPrefix, conf.Driver.Key("secretKeyRef."), conf.Executor.Key("secretKeyRef.")} {
		for _, property := range s.properties.WithPrefix(family) {
			if len(validation.IsEnvVarName(property.Name)) > 0 {
				findings = append(findings, invalid(property.Origin.Field, "invalid environment variable name %q: use letters, digits, '-', '_' and '.'", property.Name))
			}
		}
	}
	// The properties of the driver are read when it is built.
	for _, property := range s.properties.WithPrefix(conf.Executor.Key("secretKeyRef.")) {
		if _, _, err := render.KeyOfSecret(s.properties, property.Key); err != nil {
			findings = append(findings, findingsOf(err)...)
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
