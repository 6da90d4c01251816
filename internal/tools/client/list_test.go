// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"k8s.io/client-go/rest"
)

// TestListAll: a list is read to its last page, and is an error if a page cannot be read.
func TestListAll(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		pages []string
		items []int
		fails bool
	}{
		"one page":    {[]string{`{"apiVersion":"v1","items":[1,2],"kind":"List","metadata":{"resourceVersion":"7"}}`}, []int{1, 2}, false},
		"two pages":   {[]string{`{"metadata":{"continue":"1"},"items":[1]}`, `{"items":[2],"metadata":{"continue":""}}`}, []int{1, 2}, false},
		"none":        {[]string{`{"items":[],"metadata":{"resourceVersion":"7"}}`}, nil, false},
		"null":        {[]string{`{"items":null,"metadata":{"resourceVersion":"7"}}`}, nil, false},
		"broken off":  {[]string{`{"items":[1,2`}, nil, true},
		"wrong item":  {[]string{`{"items":[1,"two"]}`}, nil, true},
		"no 2nd page": {[]string{`{"metadata":{"continue":"1"},"items":[1]}`, ``}, nil, true},
		"nothing":     {[]string{``}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				number := 0
				if text := r.URL.Query().Get("continue"); text != "" {
					_, _ = fmt.Sscan(text, &number)
				}
				_, _ = fmt.Fprint(w, tt.pages[number])
			}))
			t.Cleanup(server.Close)
			c, err := New(&rest.Config{Host: server.URL}, "etl", "")
			if err != nil {
				t.Fatal(err)
			}
			items, err := ListAll[int](t.Context(), c, Applications, Selection{})
			if (err != nil) != tt.fails || !tt.fails && !slices.Equal(items, tt.items) {
				t.Errorf("got %v, %v", items, err)
			}
		})
	}
}
