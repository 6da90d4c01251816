// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	"k8s.io/client-go/rest"
)

// TestReport: each missing feature of a server is logged once, and a server that does not answer does not keep the
// operator from starting.
func TestReport(t *testing.T) {
	t.Parallel()
	resources := func(kinds ...string) string {
		var items []string
		for _, kind := range kinds {
			items = append(items, fmt.Sprintf(`{"name":"x","kind":%q}`, kind))
		}
		return fmt.Sprintf(`{"kind":"APIResourceList","groupVersion":"admissionregistration.k8s.io/v1","resources":[%s]}`, strings.Join(items, ","))
	}
	for name, tt := range map[string]struct {
		resources, want, not string
	}{
		"all":          {resources("ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"), "v1.31.4", "does not serve"},
		"not mutating": {resources("ValidatingAdmissionPolicy"), "config/guard/validating", "not known"},
		"no group":     {"", "does not serve MutatingAdmissionPolicy", "not known"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				switch {
				case r.URL.Path == "/version":
					fmt.Fprint(w, `{"gitVersion":"v1.31.4"}`)
				case tt.resources == "":
					http.NotFound(w, r)
				default:
					fmt.Fprint(w, tt.resources)
				}
			}))
			defer server.Close()
			if logged := logged(server.URL); !strings.Contains(logged, tt.want) || strings.Contains(logged, tt.not) {
				t.Errorf("logged %s", logged)
			}
		})
	}
	if logged := logged("http://127.0.0.1:1"); !strings.Contains(logged, "not known") {
		t.Errorf("logged %s", logged)
	}
}

func logged(host string) string {
	var lines strings.Builder
	Report(&rest.Config{Host: host}, funcr.New(func(prefix, args string) { lines.WriteString(prefix + args + "\n") }, funcr.Options{}))
	return lines.String()
}
