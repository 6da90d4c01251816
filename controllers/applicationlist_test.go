// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestPagesAreReadOneByOne: a page is decoded with its keys in any order. A truncated page is an error, never a shorter
// list.
func TestPagesAreReadOneByOne(t *testing.T) {
	t.Parallel()
	const items = `"items":[{"metadata":{"name":"a"},"spec":{"driver":{"template":{"x":[1,{}]}}},"status":{"run":2}},{"metadata":{"name":"b"}}]`
	tests := map[string]struct {
		page  string
		names []string
		next  string
		fails bool
	}{
		"as it comes":          {page: `{"kind":"SparkApplicationList","apiVersion":"v1","metadata":{"continue":"more"},` + items + `}`, names: []string{"a", "b"}, next: "more"},
		"in another order":     {page: `{` + items + `,"metadata":{"continue":"more"},"kind":"x"}`, names: []string{"a", "b"}, next: "more"},
		"the last one":         {page: `{"metadata":{"resourceVersion":"7"},` + items + `}`, names: []string{"a", "b"}},
		"none":                 {page: `{"metadata":{},"items":[]}`},
		"null":                 {page: `{"metadata":{},"items":null}`},
		"cut in an item":       {page: `{"metadata":{},"items":[{"metadata":{"name":"a"}},{"metad`, names: []string{"a"}, fails: true},
		"cut after an item":    {page: `{"metadata":{},"items":[{"metadata":{"name":"a"}}`, names: []string{"a"}, fails: true},
		"cut after all":        {page: `{"metadata":{},"items":[]`, fails: true},
		"nothing":              {fails: true},
		"something else":       {page: `"error"`, fails: true},
		"an item of our kinds": {page: `{"items":[7]}`, fails: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var names []string
			of, err := readPage(strings.NewReader(tc.page), func(app *v1alpha1.SparkApplication) { names = append(names, app.Name) })
			if (err != nil) != tc.fails || !tc.fails && of.Continue != tc.next {
				t.Errorf("next %q, error %v", of.Continue, err)
			}
			if diff := cmp.Diff(tc.names, names); diff != "" {
				t.Errorf("applications (-want +got):\n%s", diff)
			}
		})
	}
}
