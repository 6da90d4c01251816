// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"maps"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/internal/base/finding"
)

// Source is where a property was set. A greater one has precedence.
type Source int

// The sources of properties, lowest precedence first.
const (
	// OperatorDefaults are the defaults of the operator, and what it derives from the application's metadata.
	OperatorDefaults Source = iota
	// NamespaceDefaults are the defaults of the application's namespace.
	NamespaceDefaults
	// ConfigMap is the file spark-defaults.conf in the ConfigMap that spec.sparkConfigMap names.
	ConfigMap
	// SparkConf is spec.sparkConf.
	SparkConf
	// Secret is spec.sparkConfFrom. The value is Masked, except in the result of Revealed.
	Secret
	// TypedField is a field of the spec that corresponds to the property.
	TypedField
	// Derived is for properties that follow from others and were not set by a user.
	Derived
)

// Origin is where a property was set.
type Origin struct {
	Source Source
	// Field is the field to edit, such as spec.driver.memory or spec.sparkConf[spark.driver.memory].
	Field string
}

// Property is a property and where it was set.
type Property struct {
	Key    string
	Value  string
	Origin Origin
}

// Properties are properties by key. The zero value can be read like an empty map, but not written.
type Properties map[string]Property

// Set adds or replaces a property.
func (p Properties) Set(key, value string, origin Origin) {
	p[key] = Property{Key: key, Value: value, Origin: origin}
}

// Put adds or replaces a property that follows from others.
func (p Properties) Put(key, value string) {
	// Without a field, Properties.Field returns the one in sparkConf that could set it.
	p.Set(key, value, Origin{Source: Derived})
}

// find returns the property with that name, else the one with its deprecated name.
func (p Properties) find(key string) (Property, bool) {
	property, ok := p[key]
	if former, has := formerNames[key]; has && !ok {
		property, ok = p[former]
	}
	return property, ok
}

// Lookup returns the value of a key and whether it is set.
func (p Properties) Lookup(key string) (string, bool) {
	property, ok := p.find(key)
	return property.Value, ok
}

// Get returns the value of a key, or fallback if it is not set.
func (p Properties) Get(key, fallback string) string {
	if value, ok := p.Lookup(key); ok {
		return value
	}
	return fallback
}

// First returns the value of the first key that is set, or fallback if none is.
func (p Properties) First(fallback string, keys ...string) string {
	for _, key := range keys {
		if value, ok := p.Lookup(key); ok {
			return value
		}
	}
	return fallback
}

// Sorted returns all properties, sorted by key.
func (p Properties) Sorted() []Property {
	sorted := make([]Property, 0, len(p))
	for _, key := range slices.Sorted(maps.Keys(p)) {
		sorted = append(sorted, p[key])
	}
	return sorted
}

// WithPrefix returns the properties whose keys begin with prefix, sorted by the rest of the key.
func (p Properties) WithPrefix(prefix string) []Named {
	var named []Named
	for key, property := range p {
		if name, ok := strings.CutPrefix(key, prefix); ok {
			named = append(named, Named{Name: name, Property: property})
		}
	}
	slices.SortFunc(named, func(a, b Named) int { return strings.Compare(a.Name, b.Name) })
	return named
}

// Named is a property of a family, such as spark.executorEnv.NAME. Name is the part after the prefix of the family.
type Named struct {
	Name string
	Property
}

// Field returns the field to edit in order to change the property: the one that set it, or else its entry in sparkConf.
func (p Properties) Field(key string) string {
	if property, ok := p.find(key); ok && property.Origin.Field != "" {
		return property.Origin.Field
	}
	return fieldOfKey(key)
}

// fieldOfKey returns the path of a key in spec.sparkConf.
func fieldOfKey(key string) string { return At("spec.sparkConf", key) }

// Finding is a mistake in the properties, for users. No code depends on its text.
type Finding = finding.Finding
