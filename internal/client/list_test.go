// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestDecodeList: in whatever order the API server writes the fields of a list, and when it breaks off.
func TestDecodeList(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text    string
		items   []int
		version string
		fails   bool
	}{
		"items first":    {`{"apiVersion":"v1","items":[1,2],"kind":"List","metadata":{"resourceVersion":"7"}}`, []int{1, 2}, "7", false},
		"metadata first": {`{"metadata":{"resourceVersion":"7","continue":""},"items":[1]}`, []int{1}, "7", false},
		"none":           {`{"items":[],"metadata":{"resourceVersion":"7"}}`, nil, "7", false},
		"null":           {`{"items":null,"metadata":{"resourceVersion":"7"}}`, nil, "7", false},
		"broken off":     {`{"items":[1,2`, nil, "", true},
		"wrong item":     {`{"items":[1,"two"]}`, nil, "", true},
		"nothing":        {``, nil, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var items []int
			version, err := decodeList(json.NewDecoder(strings.NewReader(tt.text)), func(in *json.Decoder) error {
				var item int
				err := in.Decode(&item)
				if err == nil {
					items = append(items, item)
				}
				return err
			})
			if (err != nil) != tt.fails || !tt.fails && !slices.Equal(items, tt.items) || version != tt.version {
				t.Errorf("got %v at %q, %v", items, version, err)
			}
		})
	}
}
