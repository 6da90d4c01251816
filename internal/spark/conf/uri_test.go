// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"errors"
	"testing"
)

// What Java's URI makes of each was tried with Java 17.
func TestScheme(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		uri, want, wrong string
	}{
		"a file in the image":          {"local:///a/b.jar", "local", ""},
		"one slash":                    {"local:/a", "local", ""},
		"no slash":                     {"local:foo", "local", ""},
		"a pattern":                    {"s3a://b/k*.jar", "s3a", ""},
		"query and fragment":           {"https://h/a?x=1&y=[2]#f[1]", "https", ""},
		"a capital scheme":             {"HDFS:///a", "hdfs", ""},
		"an escaped blank":             {"http://h/%20", "http", ""},
		"beyond ASCII":                 {"s3a://b/é", "s3a", ""},
		"an address in brackets":       {"http://[::1]/x", "http", ""},
		"a user":                       {"http://user:pw@h/x", "http", ""},
		"a container":                  {"abfs://c@a.dfs/x#y", "abfs", ""},
		"all legal punctuation":        {"http://h/a~b!c'(d)*,;=:@&$+-_.", "http", ""},
		"no scheme":                    {"a.jar", "", "has no scheme"},
		"an absolute path":             {"/a/b", "", "has no scheme"},
		"nothing":                      {"", "", "has no scheme"},
		"a scheme that is a number":    {"1a:b", "", "has no scheme"},
		"only a scheme":                {"x:", "", "has nothing after its scheme"},
		"a blank":                      {"http://h/a b", "", "has the character ' ', which is not allowed in a URI"},
		"braces":                       {"http://h/{a}", "", "has the character '{', which is not allowed in a URI"},
		"a bar":                        {"http://h/a|b", "", "has the character '|', which is not allowed in a URI"},
		"a circumflex in the fragment": {"hdfs:///a#x^", "", "has the character '^', which is not allowed in a URI"},
		"a blank in the fragment":      {"abfs://c@a.dfs/x#y z", "", "has the character ' ', which is not allowed in a URI"},
		"a circumflex in the query":    {"http://h?x^", "", "has the character '^', which is not allowed in a URI"},
		"a path of another system":     {`c:\a`, "", `has the character '\\', which is not allowed in a URI`},
		"a quote":                      {`http://h/a"b`, "", `has the character '"', which is not allowed in a URI`},
		"brackets in the path":         {"http://h/a[1]", "", "has the character '[', which is not allowed in a URI"},
		"two fragments":                {"http://h/#a#b", "", "has the character '#', which is not allowed in a URI"},
		"a blank beyond ASCII":         {"s3a://b/a\u00a0b", "", `has the character '\u00a0', which is not allowed in a URI`},
		"a line end":                   {"s3a://b/a\nb", "", `has the character '\n', which is not allowed in a URI`},
		"a malformed escape":           {"http://h/%zz", "", "has a % that no two hexadecimal digits follow"},
		"an escape cut short":          {"http://h/a%b", "", "has a % that no two hexadecimal digits follow"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Scheme(test.uri)
			wrong := ""
			if err != nil {
				wrong = err.Error()
			}
			if got != test.want || wrong != test.wrong {
				t.Errorf("Scheme(%q) = %q, %q, want %q, %q", test.uri, got, wrong, test.want, test.wrong)
			}
		})
	}
}

func TestSchemeTellsFilesWithoutOneApart(t *testing.T) {
	t.Parallel()
	if _, err := Scheme("job.py"); !errors.Is(err, ErrNoScheme) {
		t.Errorf("error = %v, want ErrNoScheme", err)
	}
	if _, err := Scheme("local:// x"); err == nil || errors.Is(err, ErrNoScheme) {
		t.Errorf("error = %v, want another than ErrNoScheme", err)
	}
}
