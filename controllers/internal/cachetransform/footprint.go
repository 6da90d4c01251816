// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cachetransform

import (
	"reflect"
	"time"
)

// footprint estimates how many bytes a value takes in memory, including everything it refers to. It is never less than
// the length of its strings, and much cheaper than encoding the value.
func footprint(v any) int {
	value := reflect.ValueOf(v)
	return int(value.Type().Size()) + referenced(value)
}

// referenced returns the estimated size of what a value refers to.
func referenced(v reflect.Value) int {
	const entry = 48 // overhead of a map entry besides key and value
	n := 0
	switch v.Kind() {
	case reflect.String:
		return v.Len()
	case reflect.Pointer:
		if v.IsNil() {
			return 0
		}
		return int(v.Type().Elem().Size()) + referenced(v.Elem())
	case reflect.Slice:
		n = v.Len() * int(v.Type().Elem().Size())
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return n
		}
		for i := range v.Len() {
			n += referenced(v.Index(i))
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			n += entry + referenced(it.Key()) + referenced(it.Value())
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return 0 // its *Location is shared
		}
		for i := range v.NumField() {
			n += referenced(v.Field(i))
		}
	default: // numbers and booleans
	}
	return n
}
