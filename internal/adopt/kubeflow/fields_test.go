// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeflow

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/strictdecode"
)

// theirFields returns the fields of their kinds, those of a schedule separately.
func theirFields(t *testing.T) (application, schedule []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/fields.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "schedule:"); ok {
			schedule = append(schedule, name)
		} else if line != "" && line[0] != '#' {
			application = append(application, line)
		}
	}
	return application, schedule
}

// TestEveryFieldHasAnEntry: the tables say of each field of their kinds what becomes of it, and of no other field.
func TestEveryFieldHasAnEntry(t *testing.T) {
	t.Parallel()
	application, schedule := theirFields(t)
	newer := []string{"driverPodDisruptionBudget"}
	for name, test := range map[string]struct {
		table  map[string]how
		fields []string
	}{
		"SparkApplication":          {fields, append(application, newer...)},
		"ScheduledSparkApplication": {scheduleFields, schedule},
	} {
		used := map[string]bool{}
		for _, field := range test.fields {
			_, exact := test.table[field]
			_, general := test.table[generic(field)]
			if !exact && !general {
				t.Errorf("%s: nothing is said of %s", name, field)
			}
			used[field], used[generic(field)] = true, true
		}
		for field := range test.table {
			if !used[field] {
				t.Errorf("%s: there is no field %s", name, field)
			}
		}
	}
}

// exists reports whether a type has the field at a path; it has the empty one.
func exists(path string, into any) bool {
	steps := strings.Split(path, ".")
	var object any
	for _, step := range slices.Backward(steps) {
		object = map[string]any{step: object}
	}
	text, err := json.Marshal(object)
	return path == "" || err == nil && len(strictdecode.Decode(text, "", into)) == 0
}

// TestEntriesNameFields: what a field becomes exists, and is one thing.
func TestEntriesNameFields(t *testing.T) {
	t.Parallel()
	for field, h := range fields {
		for _, role := range []string{"driver", "executor"} {
			if to := strings.Replace(h.to, "ROLE", role, 1); !exists(to, &v1alpha1.SparkApplicationSpec{}) {
				t.Errorf("%s becomes %s, which does not exist", field, to)
			}
		}
		if !exists(h.pod, &corev1.PodSpec{}) || !exists(h.container, &corev1.Container{}) {
			t.Errorf("%s becomes %s%s in a pod, which does not exist", field, h.pod, h.container)
		}
		said := slices.DeleteFunc([]string{h.to, h.property, h.pod, h.container, h.note, h.refuse}, func(text string) bool { return text == "" })
		if len(said) > 1 {
			t.Errorf("%s becomes two things: %q", field, said)
		}
	}
	for field, h := range scheduleFields {
		if !exists(h.to, &v1alpha1.ScheduledSparkApplicationSpec{}) {
			t.Errorf("%s becomes %s, which does not exist", field, h.to)
		}
	}
}

// TestTogether: a field that the table leaves to code is read by code.
func TestTogether(t *testing.T) {
	t.Parallel()
	var read func(kind reflect.Type, path string) []string
	read = func(kind reflect.Type, path string) (paths []string) {
		for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
			if kind.Kind() == reflect.Slice {
				path += "[]"
			}
			kind = kind.Elem()
		}
		if kind.Kind() != reflect.Struct {
			return []string{strings.TrimSuffix(path, "[]")}
		}
		for part := range kind.Fields() {
			if part.Tag == "" {
				continue // what is not read
			}
			paths = append(paths, read(part.Type, strings.TrimPrefix(path+"."+part.Tag.Get("json"), "."))...)
		}
		return paths
	}
	known := read(reflect.TypeFor[application](), "")
	for field, h := range fields {
		if h != together {
			continue
		}
		inRole := strings.Replace(field, "ROLE", "driver", 1)
		if !slices.ContainsFunc(known, func(path string) bool { return path == inRole || strings.HasPrefix(inRole, path+"[]") }) {
			t.Errorf("%s is left to code, which does not read it", field)
		}
	}
}
