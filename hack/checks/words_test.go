// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

import (
	"strings"
	"testing"
)

func TestCommentWords(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		path, body string
		want       string
	}{
		"a good comment":            {body: "// TestWait: an application waits for quota.\nvar x = 1"},
		"a word of the list":        {body: "// TestWait: somebody waits.\nvar x = 1", want: RuleWord},
		"across lines":              {body: "// TestWait: it does not wait any\n// more.\nvar x = 1", want: RuleWord},
		"at the end of a line":      {body: "var x = 1 // there is room", want: RuleWord},
		"the name of a declaration": {body: "// told is what was written.\nvar told = 1"},
		"a string":                  {body: "var x = \"somebody\""},
		"no longer":                 {body: "// TestWait: the queue is no longer held.\nvar x = 1"},
		"a tool of the tests":       {path: "test/a/a.go", body: "// f tells it.\nfunc f() {}", want: RuleWord},
		"the product":               {path: "controllers/a/a.go", body: "// f tells it.\nfunc f() {}"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := tt.path
			if path == "" {
				path = "controllers/a/a_test.go"
			}
			if got := CommentWords([]File{file(path, "package a\n\n"+tt.body+"\n")}, excludedWords); rules(got) != tt.want {
				t.Errorf("got %v, want rule %q", got, tt.want)
			}
		})
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		path, body string
		want       string
	}{
		"a good message":     {body: `var x = "invalid name %q: use letters"`},
		"is no name":         {body: `var x = "value %q is no name"`, want: RuleWord},
		"there is no object": {body: `var x = "there is no queue %s"`},
		"no longer":          {body: `var x = "the node is no longer there, but is no node"`, want: RuleWord},
		"room":               {body: "var x = `waits for Room in its queue`", want: RuleWord},
		"roommate":           {body: `var x = "bathroom"`},
		"in a comment":       {body: "// somebody waits for room.\nvar x = 1"},
		"somebody":           {body: `var x = f("deleted by somebody else")`, want: RuleWord},
		"too":                {body: `var x = "the template has an affinity, too: remove one"`, want: RuleWord},
		"too many":           {body: `var x = "too many requests"`},
		"made":               {body: `var x = "the driver was made"`, want: RuleWord},
		"in a command":       {path: "cmd/a/a.go", body: `var x = "it goes on"`, want: RuleWord},
		"in a test":          {path: "cmd/a/a_test.go", body: `var x = "it goes on"`},
		"in a tool":          {path: "hack/a/a.go", body: `var x = "it goes on"`},
		"an import":          {body: `import "example.org/room"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := tt.path
			if path == "" {
				path = "controllers/a/a.go"
			}
			got := Words([]File{file(path, "package a\n\n"+tt.body+"\n")}, excludedWords)
			if (len(got) > 0) != (tt.want != "") {
				t.Errorf("got %v, want rule %q", got, tt.want)
			}
			for _, p := range got {
				if p.Rule != tt.want || p.Line == 0 || !strings.Contains(p.Text, "write ") {
					t.Errorf("got %+v, want a line and a remedy", p)
				}
			}
		})
	}
}
