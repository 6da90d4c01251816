// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Sources are the properties that are defined outside of the application. Each map may be nil.
type Sources struct {
	// Operator has the defaults of the operator.
	Operator map[string]string
	// Namespace has the defaults of the application's namespace.
	Namespace map[string]string
	// ConfigMap has the files of the ConfigMap that spec.sparkConfigMap names.
	ConfigMap map[string]string
}

// DefaultsFile is the file of a sparkConfigMap whose properties are merged. It is not copied to the driver.
const DefaultsFile = "spark-defaults.conf"

// Merge returns the properties of an application, each from the source of highest precedence that sets it. Findings are
// about keys and sources: keys that only the operator may set, keys that are not Spark properties, values of sparkConf
// that contradict a typed field or a variable, properties that cannot come from a Secret, and names and values that
// cannot be passed on unchanged. Apart from that, values are not checked. The result is complete even if there are
// findings.
func Merge(app *v1alpha1.SparkApplication, sources Sources) (Properties, []Finding) {
	merged := Properties{}
	merged.Set(AppName, app.Name, Origin{Source: OperatorDefaults, Field: "metadata.name"})
	var findings []Finding
	for _, layer := range layers(app, sources) {
		findings = append(findings, addLayer(merged, layer)...)
	}
	typed := typedProperties(&app.Spec)
	addExposure(app, typed)
	addCluster(app, typed)
	findings = append(findings, contradictions(app.Spec.SparkConf, typed)...)
	findings = append(findings, addSecrets(merged, &app.Spec, typed)...)
	maps.Copy(merged, typed)
	findings = append(findings, refuseHiddenVariables(merged, &app.Spec)...)
	findings = append(findings, refuseUnreadable(merged)...)
	findings = append(findings, addAgent(merged, &app.Spec)...)
	deriveShuffleTracking(merged)
	deriveOnCluster(merged)
	deriveRedirects(merged)
	hideSecrets(merged)
	return merged, findings
}

// layer is one source of plain keys and values.
type layer struct {
	source Source
	field  func(key string) string
	values map[string]string
}

// layers returns the sources that typed fields override, lowest precedence first.
func layers(app *v1alpha1.SparkApplication, sources Sources) []layer {
	return []layer{
		{OperatorDefaults, inPlace("defaults of the operator"), sources.Operator},
		{NamespaceDefaults, inPlace("defaults of the namespace"), sources.Namespace},
		{ConfigMap, inPlace("spec.sparkConfigMap"), ParseFile(sources.ConfigMap[DefaultsFile])},
		{SparkConf, fieldOfKey, app.Spec.SparkConf},
	}
}

// inPlace returns a function that names a key of place for messages.
func inPlace(place string) func(string) string {
	return func(key string) string { return At(place, key) }
}

// addLayer adds the properties of a layer, which override those of lower layers. Keys that users may not set are left
// out.
func addLayer(merged Properties, l layer) []Finding {
	var findings []Finding
	for _, key := range slices.Sorted(maps.Keys(l.values)) {
		value := l.values[key]
		if message := refusedKey(key, value); message != "" {
			// A defaults file may hold properties of other programs. Spark ignores them as well.
			if l.source != ConfigMap || strings.HasPrefix(key, prefix) {
				findings = append(findings, Finding{Field: l.field(key), Message: message})
			}
			continue
		}
		merged.Set(key, value, Origin{Source: l.source, Field: l.field(key)})
	}
	return findings
}

// contradictions returns a finding for every typed field whose property sparkConf sets to another value.
func contradictions(sparkConf map[string]string, typed Properties) []Finding {
	var findings []Finding
	for _, property := range typed.Sorted() {
		value, both := sparkConf[property.Key]
		if !both || value == property.Value {
			continue
		}
		findings = append(findings, Finding{
			Field: property.Origin.Field,
			Message: fmt.Sprintf("value %s contradicts %s of %s; remove one",
				Quote(property.Key, property.Value), Quote(property.Key, value), fieldOfKey(property.Key)),
		})
	}
	return findings
}

// deriveShuffleTracking turns on shuffle tracking under dynamic allocation, so that executors with shuffle data are
// kept, unless the user has chosen otherwise or decommissioned executors hand over their shuffle data. Spark refuses
// dynamic allocation without either of the two.
func deriveShuffleTracking(p Properties) {
	if !isTrue(p, DynamicAllocationEnabled) {
		return
	}
	if _, chosen := p[ShuffleTrackingEnabled]; chosen {
		return
	}
	if isTrue(p, DecommissionEnabled) && !isFalse(p, DecommissionShuffleBlocks) {
		return
	}
	p.Put(ShuffleTrackingEnabled, "true")
}

func isTrue(p Properties, key string) bool {
	return strings.EqualFold(trim(p.Get(key, "")), "true")
}
func isFalse(p Properties, key string) bool {
	return strings.EqualFold(trim(p.Get(key, "")), "false")
}
