// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"fmt"
	"maps"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Sources are the properties that do not stand in the application itself. Every part may be nil.
type Sources struct {
	// Operator are defaults of the operator.
	Operator map[string]string
	// Namespace are the defaults of the application's namespace.
	Namespace map[string]string
	// ConfigMap are the files of the ConfigMap that spec.sparkConfigMap names.
	ConfigMap map[string]string
}

// DefaultsFile is the file of a sparkConfigMap whose properties are merged; it is not handed to the driver as a file.
const DefaultsFile = "spark-defaults.conf"

// Merge returns the properties of an application, each from the source of highest precedence that has it, and what
// cannot work about their origin: keys that the operator owns, keys that are not Spark properties, values of sparkConf
// that contradict a typed field or a variable, what cannot come from a Secret, and names and values that would not
// arrive as they are written. Values are not looked at otherwise. The result is complete even if there are findings.
func Merge(app *v1alpha1.SparkApplication, sources Sources) (Properties, []Finding) {
	merged := Properties{}
	merged.Set(AppName, app.Name, Origin{Source: OperatorDefaults, Field: "metadata.name"})
	var findings []Finding
	for _, layer := range layers(app, sources) {
		findings = append(findings, addLayer(merged, layer)...)
	}
	typed := typedProperties(&app.Spec)
	addExposure(app, typed)
	findings = append(findings, contradictions(app.Spec.SparkConf, typed)...)
	findings = append(findings, addSecrets(merged, &app.Spec, typed)...)
	maps.Copy(merged, typed)
	findings = append(findings, refuseHiddenVariables(merged, &app.Spec)...)
	findings = append(findings, refuseUnreadable(merged)...)
	findings = append(findings, addAgent(merged, &app.Spec)...)
	deriveShuffleTracking(merged)
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

// layers returns the sources below the typed fields, lowest precedence first.
func layers(app *v1alpha1.SparkApplication, sources Sources) []layer {
	return []layer{
		{OperatorDefaults, inPlace("defaults of the operator"), sources.Operator},
		{NamespaceDefaults, inPlace("defaults of the namespace"), sources.Namespace},
		{ConfigMap, inPlace("spec.sparkConfigMap"), ParseFile(sources.ConfigMap[DefaultsFile])},
		{SparkConf, fieldOfKey, app.Spec.SparkConf},
	}
}

// inPlace names a key of a place.
func inPlace(place string) func(string) string {
	return func(key string) string { return At(place, key) }
}

// addLayer puts the keys of a layer over those below it. Keys that no source may set are left out.
func addLayer(merged Properties, l layer) []Finding {
	var findings []Finding
	for _, key := range sortedKeys(l.values) {
		value := l.values[key]
		if message := refusedKey(key, value); message != "" {
			// A file of defaults may hold properties of other programs; Spark also drops them.
			if l.source != ConfigMap || strings.HasPrefix(key, prefix) {
				findings = append(findings, Finding{Field: l.field(key), Message: message})
			}
			continue
		}
		merged.Set(key, value, Origin{Source: l.source, Field: l.field(key)})
	}
	return findings
}

// contradictions names every typed field that says something else than sparkConf does for the same property.
func contradictions(sparkConf map[string]string, typed Properties) []Finding {
	var findings []Finding
	for _, property := range typed.Sorted() {
		value, both := sparkConf[property.Key]
		if !both || value == property.Value {
			continue
		}
		findings = append(findings, Finding{
			Field: property.Origin.Field,
			Message: fmt.Sprintf("value %s contradicts %s of %s: remove one of the two",
				Quote(property.Key, property.Value), Quote(property.Key, value), fieldOfKey(property.Key)),
		})
	}
	return findings
}

// deriveShuffleTracking lets executors that hold shuffle data stay under dynamic allocation, unless the user has chosen
// otherwise or executors hand their shuffle data over when they go. Without either of the two, Spark refuses dynamic
// allocation.
func deriveShuffleTracking(p Properties) {
	if !p.isTrue(DynamicAllocationEnabled) {
		return
	}
	if _, chosen := p[ShuffleTrackingEnabled]; chosen {
		return
	}
	if p.isTrue(DecommissionEnabled) && !p.isFalse(DecommissionShuffleBlocks) {
		return
	}
	p.Put(ShuffleTrackingEnabled, "true")
}

func (p Properties) isTrue(key string) bool {
	return strings.EqualFold(trim(p.Get(key, "")), "true")
}
func (p Properties) isFalse(key string) bool {
	return strings.EqualFold(trim(p.Get(key, "")), "false")
}
