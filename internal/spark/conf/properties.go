// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"maps"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/internal/finding"
)

// Source is a place that properties come from. Later ones win.
type Source int

// The sources of properties, lowest precedence first.
const (
	// OperatorDefaults are settings of the operator, and what it derives from the application's metadata.
	OperatorDefaults Source = iota
	// NamespaceDefaults come from the defaults of the application's namespace.
	NamespaceDefaults
	// ConfigMap is the file spark-defaults.conf of the ConfigMap that spec.sparkConfigMap names.
	ConfigMap
	// SparkConf is spec.sparkConf.
	SparkConf
	// Secret is spec.sparkConfFrom. The value is Masked, except in what Revealed returns.
	Secret
	// TypedField is a field of the spec that stands for the property.
	TypedField
	// Derived properties follow from others and were not set by a user.
	Derived
)

// Origin is the place that set a property.
type Origin struct {
	Source Source
	// Field is what a user would edit, such as spec.driver.memory or spec.sparkConf[spark.driver.memory].
	Field string
}

// Property is one property and where it comes from.
type Property struct {
	Key    string
	Value  string
	Origin Origin
}

// Properties are properties by key. The zero value is an empty map that can be read but not written.
type Properties map[string]Property

// Set adds or replaces a property.
func (p Properties) Set(key, value string, origin Origin) {
	p[key] = Property{Key: key, Value: value, Origin: origin}
}

// Put adds or replaces a property that follows from others.
func (p Properties) Put(key, value string) {
	p.Set(key, value, Origin{Source: Derived}) // Field finds the place where it could be set
}

// find returns what sets a property: its name, else a former one.
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

// First returns the value of the first key that is set, or fallback.
func (p Properties) First(fallback string, keys ...string) string {
	for _, key := range keys {
		if value, ok := p.Lookup(key); ok {
			return value
		}
	}
	return fallback
}

// Keys returns all keys in ascending order.
func (p Properties) Keys() []string { return slices.Sorted(maps.Keys(p)) }

// Sorted returns all properties in ascending order of their keys.
func (p Properties) Sorted() []Property {
	sorted := make([]Property, 0, len(p))
	for _, key := range p.Keys() {
		sorted = append(sorted, p[key])
	}
	return sorted
}

// WithPrefix returns the properties whose key begins with prefix, in ascending order, by what follows the prefix.
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

// Named is a property of a family, such as spark.executorEnv.NAME, by its name within the family.
type Named struct {
	Name string
	Property
}

// Clone returns a copy that shares nothing with p.
func (p Properties) Clone() Properties {
	if p == nil {
		return Properties{}
	}
	return maps.Clone(p)
}

// Field returns what a user would edit to change the property: the field that set it, or the place in sparkConf where
// it could be set.
func (p Properties) Field(key string) string {
	if property, ok := p.find(key); ok && property.Origin.Field != "" {
		return property.Origin.Field
	}
	return fieldOfKey(key)
}

// fieldOfKey returns the place of a key in sparkConf.
func fieldOfKey(key string) string { return At("spec.sparkConf", key) }

// Finding is something about the properties that cannot work. The controller reports it, nothing branches on it.
type Finding = finding.Finding
