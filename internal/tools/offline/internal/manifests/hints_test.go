// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHintsAboutServers: what only the image, the network or another object decides is said of a server.
func TestHintsAboutServers(t *testing.T) {
	t.Parallel()
	const (
		serverOf = `apiVersion: sparkgate.io/v1alpha1
kind: SparkApplication
metadata: {name: notebooks, namespace: team-a}
spec:
  type: Python
  sparkVersion: 4.1.4
  image: spark
  server: {type: Connect, token: {name: notebooks, key: token}}
  driver: {serviceAccountName: spark}
`
		secretOf = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: notebooks, namespace: team-a}\n"
		hang     = "f.yaml:8: warning: SparkApplication notebooks: spec.server.token: clients with a token speak TLS unless the host is localhost, " +
			"and the server does not, so they hang: put a proxy in front that ends TLS (route, ingress), or use sparkctl connect notebooks"
		short = "f.yaml:8: warning: SparkApplication notebooks: spec.server.token: a token of 6 characters can be guessed: " +
			"use at least 16, such as those of openssl rand -base64 24"
	)
	tests := map[string]struct {
		text string
		want []string
	}{
		"a token":                       {serverOf, []string{hang}},
		"behind a proxy":                {serverOf + "---\n" + strings.Replace(serverOf, "server: {", "server: {ingress: {host: a.example.org}, ", 1), []string{hang}},
		"a short token":                 {serverOf + secretOf + "stringData: {token: secret}", []string{hang, short}},
		"a short token, encoded":        {serverOf + secretOf + "data: {token: c2VjcmV0}", []string{hang, short}},
		"a long token":                  {serverOf + secretOf + "stringData: {token: 0123456789abcdef}", []string{hang}},
		"a Secret of another namespace": {serverOf + strings.Replace(secretOf, "team-a", "team-b", 1) + "stringData: {token: secret}", []string{hang}},
		"no token, no jar of Connect in 3.5.8": {strings.NewReplacer("4.1.4", "3.5.8", ", token: {name: notebooks, key: token}", "").Replace(serverOf), []string{
			"f.yaml:8: warning: SparkApplication notebooks: spec.server: Spark 3.5.8 comes without Spark Connect: unless your image has it, " +
				"add org.apache.spark:spark-connect_2.12:3.5.8 to deps.packages",
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			objects, findings := Read("f.yaml", []byte(test.text))
			if len(findings) > 0 {
				t.Fatal(findings)
			}
			var got []string
			for _, f := range Hints(objects) {
				got = append(got, f.String())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("hints (-want +got):\n%s", diff)
			}
		})
	}
}
