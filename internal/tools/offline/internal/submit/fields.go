// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// field is the field of a spec that corresponds to a property.
type field struct {
	// path is the path below the spec, such as driver.memory.
	path string
	// entry is the key in the map at that path, if the property belongs to a family.
	entry string
}

// fields are the typed fields by their properties; families are by the prefix of their keys.
type fields struct {
	single   map[string]string
	families map[string]string
}

// probeText is the value of every text field of the probe, and the key of every map.
const probeText = "probe"

// knownFields finds out which property each field of a spec sets: it fills a spec with values and looks at the merged
// properties.
func knownFields() fields {
	app := &v1alpha1.SparkApplication{}
	fill(reflect.ValueOf(&app.Spec).Elem())
	known := fields{single: map[string]string{}, families: map[string]string{}}
	for key, property := range typed(app) {
		path := strings.TrimPrefix(property.Origin.Field, "spec.")
		if family, ok := strings.CutSuffix(path, "["+probeText+"]"); ok {
			known.families[strings.TrimSuffix(key, probeText)] = family
		} else {
			known.single[key] = path
		}
	}
	return known
}

// typed returns the properties that the typed fields of an application set. It leaves out monitoring, which sets
// several properties and annotations together, ui, whose path alone is not an Ingress, and clusterRef, whose
// property is owned: a single property does not mean these fields.
func typed(app *v1alpha1.SparkApplication) conf.Properties {
	single := *app
	single.Spec.Monitoring, single.Spec.UI, single.Spec.ClusterRef = nil, nil, nil
	properties, _ := conf.Merge(&single, conf.Sources{})
	for key, property := range properties {
		if property.Origin.Source != conf.TypedField {
			delete(properties, key)
		}
	}
	return properties
}

// of returns the field of a property.
func (f fields) of(key string) (field, bool) {
	if path, ok := f.single[key]; ok {
		return field{path: path}, true
	}
	for prefix, path := range f.families {
		if entry, ok := strings.CutPrefix(key, prefix); ok && entry != "" {
			return field{path: path, entry: entry}, true
		}
	}
	return field{}, false
}

// fill sets every field that can correspond to a property.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(probeText)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32:
		v.SetInt(1)
	case reflect.Int64:
		v.SetInt(int64(time.Second)) // durations
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for _, part := range v.Fields() {
			fill(part)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.String {
			v.Set(reflect.ValueOf([]string{probeText}))
		}
	case reflect.Map:
		if v.Type() == reflect.TypeFor[map[string]string]() {
			v.Set(reflect.ValueOf(map[string]string{probeText: probeText}))
		}
	}
}

// set sets the field to the value of a property. It reports whether the value could be converted.
func (f field) set(spec *v1alpha1.SparkApplicationSpec, value string) bool {
	v := reflect.ValueOf(spec).Elem()
	for name := range strings.SplitSeq(f.path, ".") {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = member(v, name)
	}
	return f.write(v, value)
}

// member returns the field of a struct by its JSON name.
func member(v reflect.Value, name string) reflect.Value {
	for i := range v.NumField() {
		kind := v.Type().Field(i)
		key, _, _ := strings.Cut(kind.Tag.Get("json"), ",")
		if key == name {
			return v.Field(i)
		}
		if kind.Anonymous && key == "" {
			if inner := member(v.Field(i), name); inner.IsValid() {
				return inner
			}
		}
	}
	return reflect.Value{}
}

// write converts a text to the type of a field and sets it.
func (f field) write(v reflect.Value, value string) bool {
	switch target := v.Addr().Interface().(type) {
	case *map[string]string:
		if *target == nil {
			*target = map[string]string{}
		}
		(*target)[f.entry] = value
	case *[]string:
		*target = strings.Split(value, ",")
		return !slices.ContainsFunc(*target, func(part string) bool { return part == "" || strings.TrimSpace(part) != part })
	case **int32:
		number, err := strconv.ParseInt(value, 10, 32)
		count := int32(number)
		*target = &count
		return err == nil
	case **metav1.Duration:
		length, err := time.ParseDuration(value)
		*target = &metav1.Duration{Duration: length}
		return err == nil
	default:
		return writePlain(v, value)
	}
	return true
}

// writePlain sets a string or a boolean.
func writePlain(v reflect.Value, value string) bool {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(value)
		return true
	case reflect.Bool:
		truth, err := strconv.ParseBool(value)
		v.SetBool(truth)
		return err == nil
	}
	return false
}
