// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

import "testing"

func TestLogs(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ path, body, want string }{
		"a good line":         {body: `log.Info("Listed the applications", "number", 3)`},
		"a lower-case line":   {body: `log.Info("listed the applications")`, want: RuleLog},
		"an error":            {body: `r.Log.Error(err, "Failed to list applications")`},
		"a lower-case error":  {body: `r.o.Log.Error(err, "list applications")`, want: RuleLog},
		"of a context":        {body: `ctrl.LoggerFrom(ctx).V(1).Info("cannot read")`, want: RuleLog},
		"the key why":         {body: `log.Info("Cannot read", "why", err.Error())`, want: RuleLog},
		"the key error":       {body: `log.Info("Cannot read", "error", err.Error())`},
		"an answer over HTTP": {body: `http.Error(w, "too many requests", 429)`},
		"no literal":          {body: `log.Info(message, "why", 1)`, want: RuleLog},
		"in a test":           {path: "controllers/a/a_test.go", body: `log.Info("listed")`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := tt.path
			if path == "" {
				path = "controllers/a/a.go"
			}
			got := Logs([]File{file(path, "package a\n\nfunc f() {\n\t"+tt.body+"\n}\n")})
			if rules(got) != tt.want {
				t.Errorf("got %v, want the rule %q", got, tt.want)
			}
		})
	}
}
