// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/testing/crds"
)

// kubernetes are fields whose inner ones are Kubernetes' own and are documented there.
var kubernetes = []string{
	"tolerations", "nodeTaints", "namespaceSelector", "conditions",
}

// kindPages are the page of each kind, by the file of its CRD.
var kindPages = map[string]string{
	"sparkgate.io_scheduledsparkapplications.yaml": "docs/scheduled-spark-application.md",
	"sparkgate.io_sparkapplications.yaml":          "docs/spark-application.md",
	"sparkgate.io_sparkclusters.yaml":              "docs/spark-cluster.md",
	"sparkgate.io_sparkqueues.yaml":                "docs/spark-queue.md",
	"sparkgate.io_sparkflavors.yaml":               "docs/spark-flavor.md",
}

// fieldsOf returns the paths of the fields below a schema; those of list members go on like those of objects.
func fieldsOf(s apiextensionsv1.JSONSchemaProps, prefix string) []string {
	var paths []string
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		field := s.Properties[name]
		paths = append(paths, prefix+name)
		if slices.Contains(kubernetes, name) {
			continue
		}
		paths = append(paths, fieldsOf(field, prefix+name+".")...)
		if field.Items != nil && field.Items.Schema != nil {
			paths = append(paths, fieldsOf(*field.Items.Schema, prefix+name+".")...)
		}
	}
	return paths
}

// readSchema returns the schema that a file of a CRD defines, with the fields of its open parts.
func readSchema(t *testing.T, file string) *apiextensionsv1.JSONSchemaProps {
	t.Helper()
	root := crds.Schema(t, file)
	for name, kind := range openParts[file] {
		at := *root
		for _, step := range strings.Split(name, ".")[:strings.Count(name, ".")] {
			at = at.Properties[step]
		}
		at.Properties[name[strings.LastIndex(name, ".")+1:]] = schemaOf(kind)
	}
	return root
}

// openParts are the fields whose inner ones only their Go types name, by the file of the CRD.
var openParts = map[string]map[string]reflect.Type{
	"sparkgate.io_sparkapplications.yaml": {
		"status.ask":       reflect.TypeFor[v1alpha1.Ask](),
		"status.times":     reflect.TypeFor[v1alpha1.ApplicationTimes](),
		"status.grant":     reflect.TypeFor[v1alpha1.Grant](),
		"status.usage":     reflect.TypeFor[v1alpha1.Usage](),
		"status.executors": reflect.TypeFor[v1alpha1.ExecutorStatus](),
		"status.attempts":  reflect.TypeFor[v1alpha1.AttemptStatus](),
	},
	"sparkgate.io_sparkqueues.yaml": {
		"status.ledger.inFlight": reflect.TypeFor[v1alpha1.LedgerEntry](),
		"status.ledger.orphans":  reflect.TypeFor[v1alpha1.LedgerEntry](),
	},
}

// schemaOf returns the fields of a type of the API.
func schemaOf(kind reflect.Type) apiextensionsv1.JSONSchemaProps {
	for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
		kind = kind.Elem()
	}
	if kind.Kind() != reflect.Struct || kind.PkgPath() != reflect.TypeFor[v1alpha1.Grant]().PkgPath() {
		return apiextensionsv1.JSONSchemaProps{}
	}
	s := apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{}}
	for _, field := range reflect.VisibleFields(kind) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" { // else its own fields stand in its place
			s.Properties[name] = schemaOf(field.Type)
		}
	}
	return s
}

// TestEveryFieldHasItsPlace: a heading for each field of spec and status, below it a mention of each field inside it; and nothing
// about a field that is not there.
func TestEveryFieldHasItsPlace(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(root, "config/crd/bases/*.yaml"))
	if err != nil || len(files) != len(kindPages) {
		t.Fatalf("%d kinds have a page, %d are defined (%v)", len(kindPages), len(files), err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := readPage(t, kindPages[name])
			kind := readSchema(t, name)
			for chapter, part := range map[string]string{"Spec": "spec", "Status": "status"} {
				if fields := fieldsOf(kind.Properties[part], ""); len(fields) > 0 {
					checkChapter(t, p, chapter, fields)
				}
			}
		})
	}
}

// sharedField reports whether a section leads to the page of applications, which explains a field of this name there: the parts that two kinds
// have in common are explained once.
func sharedField(t *testing.T, s section, inner string) bool {
	t.Helper()
	if !strings.Contains(strings.Join(s.lines, "\n"), "(spark-application.md") {
		return false
	}
	applications := readSchema(t, "sparkgate.io_sparkapplications.yaml").Properties["spec"]
	return slices.ContainsFunc([]string{"driver", "executor", "queue", "ui", "sparkConfFrom"}, func(part string) bool {
		return slices.Contains(fieldsOf(applications.Properties[part], ""), inner)
	})
}

// checkChapter holds one chapter of a page against the fields that it is about.
func checkChapter(t *testing.T, p page, chapter string, fields []string) {
	t.Helper()
	sections := map[string]section{}
	for _, s := range p.sections {
		if s.chapter != chapter || s.level != 3 {
			continue
		}
		for _, name := range spans(s.heading) {
			if !slices.Contains(fields, name) {
				t.Errorf("%s, %s: the heading `%s` is about no field", p.path, chapter, name)
			}
			sections[name] = s
		}
	}
	for _, field := range fields {
		top, inner, nested := strings.Cut(field, ".")
		s, found := sections[top]
		switch {
		case !found:
			t.Errorf("%s, %s: no heading for `%s`", p.path, chapter, top)
		case nested && !mentions(s, inner) && !sharedField(t, s, inner):
			t.Errorf("%s, %s: the section `%s` does not mention `%s`", p.path, chapter, top, inner)
		}
	}
	for top, s := range sections {
		if spans(s.heading)[0] == top { // a section with several fields is looked at once
			checkRows(t, p.path, s, fields)
		}
	}
}

// mentions says that a field stands in a section as a piece of code.
func mentions(s section, field string) bool { return slices.Contains(spans(s.text()), field) }

// checkRows finds rows of a section's tables that are about no field.
func checkRows(t *testing.T, path string, s section, fields []string) {
	t.Helper()
	tops := spans(s.heading)
	for _, cell := range s.firstCells() {
		for _, name := range spans(cell) {
			known := slices.ContainsFunc(tops, func(top string) bool { return slices.Contains(fields, top+"."+name) })
			if !known && !strings.HasPrefix(cell, "value ") {
				t.Errorf("%s, section %s: the row `%s` is about no field", path, s.heading, name)
			}
		}
	}
}

// TestEveryClassIsTheOneOfTheCode: the table of classes says what the marks in the API's types say.
func TestEveryClassIsTheOneOfTheCode(t *testing.T) {
	t.Parallel()
	told := map[string]string{}
	for _, s := range readPage(t, "docs/spark-application.md").sections {
		if s.heading != "What a change does" {
			continue
		}
		for _, line := range s.lines {
			if cells := strings.Split(line, "|"); len(cells) == 4 && strings.Contains(cells[1], "`") {
				for _, field := range spans(cells[1]) {
					told[field] = strings.TrimSpace(cells[2])
				}
			}
		}
	}
	marked := marks(reflect.TypeFor[v1alpha1.SparkApplicationSpec](), "")
	for field, class := range marked {
		if told[field] != class {
			t.Errorf("`%s` is %q in the page and %q in the code", field, told[field], class)
		}
	}
	for field := range told {
		if marked[field] == "" {
			t.Errorf("`%s` has no mark in the code", field)
		}
	}
}

// marks are the classes of the fields of a type; a field without one is looked into.
func marks(t reflect.Type, prefix string) map[string]string {
	out := map[string]string{}
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if class := field.Tag.Get("sparkgate"); class != "" {
			out[prefix+name] = class
			continue
		}
		maps.Copy(out, marks(field.Type.Elem(), prefix+name+"."))
	}
	return out
}

var specField = regexp.MustCompile(`unsupported\("spec\.([A-Za-z.]+)"`)

// TestWhatIsNotHonouredIsListed: the fields that validation calls NotYetSupported are those of the page.
func TestWhatIsNotHonouredIsListed(t *testing.T) {
	t.Parallel()
	var told []string
	for _, s := range readPage(t, "docs/spark-application.md").sections {
		if s.heading == "Not honoured yet" {
			for _, cell := range s.firstCells() {
				told = append(told, spans(cell)...)
			}
		}
	}
	var found []string
	files, err := filepath.Glob(filepath.Join(root, "internal/spark/validate/*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no source of findings: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range specField.FindAllStringSubmatch(string(data), -1) {
			found = append(found, m[1])
		}
	}
	for _, field := range found {
		if !slices.Contains(told, field) {
			t.Errorf("`%s` is not honoured, and the page does not say so", field)
		}
	}
	for _, field := range told {
		if !slices.Contains(found, field) {
			t.Errorf("the page says that `%s` is not honoured; the code does not", field)
		}
	}
}
