// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	explainv1 "github.com/sparkgate/sparkgate/api/explain/v1"
)

const explainPage = "docs/explain.md"

// jsonNames are the names of the fields of a type and of all types inside it.
func jsonNames(t reflect.Type, into map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		jsonNames(t.Elem(), into)
	case reflect.Struct:
		if t == reflect.TypeFor[resource.Quantity]() {
			return
		}
		for field := range t.Fields() {
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
				into[name] = true
				jsonNames(field.Type, into)
			}
		}
	}
}

// TestEveryFieldOfAnExplanationIsExplained: it stands in a table, or in the text, as code; or in an example.
func TestEveryFieldOfAnExplanationIsExplained(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, of := range []reflect.Type{reflect.TypeFor[explainv1.Application](), reflect.TypeFor[explainv1.Queue](), reflect.TypeFor[explainv1.Problem]()} {
		jsonNames(of, names)
	}
	text := readPage(t, explainPage).text()
	for _, code := range codeOf(readPage(t, explainPage)) {
		text += "\n" + code
	}
	for name := range names {
		if !strings.Contains(text, "`"+name+"`") && !strings.Contains(text, "."+name+"`") && !strings.Contains(text, `"`+name+`":`) {
			t.Errorf("%s does not explain %q", explainPage, name)
		}
	}
}

var problemReason = regexp.MustCompile(`ProblemReason = "(\w+)"\s+// (\d+): `)

// TestEveryProblemOfAnExplanationIsExplained, with its code.
func TestEveryProblemOfAnExplanationIsExplained(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(filepath.Join(root, "api/explain/v1/problem.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := problemReason.FindAllStringSubmatch(string(source), -1)
	if len(found) == 0 {
		t.Fatal("no reason was found in the source")
	}
	text := readPage(t, explainPage).text()
	for _, m := range found {
		if row := "| " + m[2] + " | `" + m[1] + "` |"; !strings.Contains(text, row) {
			t.Errorf("%s has no row %q", explainPage, row)
		}
	}
}

// TestTheExplanationIsTheRealOne: the text in the page is what sparkctl prints for the answer in the page.
func TestTheExplanationIsTheRealOne(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, explainPage))
	if err != nil {
		t.Fatal(err)
	}
	printed, err := os.ReadFile(filepath.Join(root, "cmd/sparkctl/testdata/explain/waits.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "\n```\n"+string(printed)+"```\n") {
		t.Errorf("%s does not have what sparkctl prints:\n%s", explainPage, printed)
	}
}
