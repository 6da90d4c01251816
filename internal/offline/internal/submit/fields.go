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

// field is the place in a spec that stands for a property.
type field struct {
	// path below the spec, such as driver.memory.
	path string
	// entry is the key in the map at that path, where the property belongs to a family.
	entry string
}

// fields are the typed fields by the properties that they stand for; families by the beginning of their keys.
type fields struct {
	single   map[string]string
	families map[string]string
}

// probeText is the text that every field of the probe holds, and the key of every map.
const probeText = "probe"

// knownFields asks conf which property each field of a spec stands for: it fills a spec and looks at what is merged.
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

// typed returns the properties that the typed fields of an application stand for, each for one. (monitoring stands for
// several together, with annotations, and the path of an Ingress is not an Ingress: a property alone does not mean
// them.)
func typed(app *v1alpha1.SparkApplication) conf.Properties {
	single := *app
	single.Spec.Monitoring, single.Spec.UI = nil, nil
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

// fill gives every field that can stand for a property a value.
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

// set writes a property into its field. It reports whether the text could be read as what the field holds.
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

// member returns the field of a struct with a name of the API.
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

// write reads a text into a value of one of the kinds that stand for properties.
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

// writePlain reads a text into a text or a truth value.
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
