// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cachetransform

import (
	"reflect"
	"time"
)

// footprint returns about how many bytes a value takes in memory, with all that it refers to: never less than its
// texts. It costs a fraction of what encoding the value would.
func footprint(v any) int {
	value := reflect.ValueOf(v)
	return int(value.Type().Size()) + beyond(value)
}

// beyond returns what a value refers to.
func beyond(v reflect.Value) int {
	const entry = 48 // of a map, beside key and value
	n := 0
	switch v.Kind() {
	case reflect.String:
		return v.Len()
	case reflect.Pointer:
		if v.IsNil() {
			return 0
		}
		return int(v.Type().Elem().Size()) + beyond(v.Elem())
	case reflect.Slice:
		n = v.Len() * int(v.Type().Elem().Size())
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return n
		}
		for i := range v.Len() {
			n += beyond(v.Index(i))
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			n += entry + beyond(it.Key()) + beyond(it.Value())
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return 0 // a place in the world that all share
		}
		for i := range v.NumField() {
			n += beyond(v.Field(i))
		}
	default: // numbers and booleans refer to nothing
	}
	return n
}
