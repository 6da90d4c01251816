// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"reflect"
	"regexp"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const hostile = "javascript:alert(1)//<script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31m\u202e\" onload=\"alert(1)"

// fill puts the hostile text into every text of a value, and one element into every list.
func fill(v reflect.Value, depth int) {
	if depth == 0 || !v.CanSet() {
		return
	}
	switch v.Interface().(type) {
	case time.Time, metav1.Time, resource.Quantity:
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(hostile)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth-1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth-1)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), depth-1)
		}
	}
}

// TestEveryTextIsEscaped: whatever text a page has, it does not become markup, a link that runs code, or a terminal escape.
func TestEveryTextIsEscaped(t *testing.T) {
	t.Parallel()
	bad := regexp.MustCompile("(?i).{0,60}(<script>|<img|\x1b|\u202e|href=\"javascript|action=\"javascript|\" onload=\").{0,20}")
	for name, page := range map[string]any{
		"application": &applicationPage{}, "applications": &applicationsPage{}, "queues": &queuesPage{}, "queue": &queuePage{}, "schedules": &schedulesPage{},
		"usage": &usagePage{}, "whatif": &whatIfPage{}, "manifest": &manifestPage{}, "choose": &choosePage{}, templateProblem: &problemPage{}, "login": &LoginPage{},
	} {
		fill(reflect.ValueOf(page).Elem(), 9)
		out, err := fragment(name, page)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, found := range bad.FindAllString(string(out), -1) {
			t.Errorf("%s has %q", name, found)
		}
	}
}
