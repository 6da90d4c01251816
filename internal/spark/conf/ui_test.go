// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

func TestPathOfTheWebInterface(t *testing.T) {
	t.Parallel()
	ingress := func(path string) *v1alpha1.UserInterface {
		return &v1alpha1.UserInterface{Ingress: &v1alpha1.UIIngress{Host: "h", Path: path}}
	}
	tests := map[string]struct {
		ui        *v1alpha1.UserInterface
		sparkConf map[string]string
		want      map[string]string
		findings  []string
	}{
		"no interface":          {nil, nil, nil, nil},
		"no path":               {ingress(""), nil, nil, nil},
		"the root":              {ingress("/"), nil, nil, nil},
		"a pattern only":        {ingress("/(/|$)(.*)"), nil, nil, nil},
		"a path":                {ingress("/x/{{namespace}}/{{name}}/"), nil, map[string]string{UIProxyBase: "/x/jobs/pi", UIProxyRedirect: "/"}, nil},
		"a path with a pattern": {ingress("/x(/|$)(.*)"), nil, map[string]string{UIProxyBase: "/x", UIProxyRedirect: "/"}, nil},
		"a path of a route": {&v1alpha1.UserInterface{Route: &v1alpha1.UIRoute{Path: "/r"}}, nil,
			map[string]string{UIProxyBase: "/r", UIProxyRedirect: "/"}, nil},
		"redirects of the user's own": {ingress("/x"), map[string]string{UIProxyRedirect: "https://h"},
			map[string]string{UIProxyBase: "/x", UIProxyRedirect: "https://h"}, nil},
		"the user's own path alone": {nil, map[string]string{UIProxyBase: "/y"}, map[string]string{UIProxyBase: "/y"}, nil},
		"the same path twice":       {ingress("/x"), map[string]string{UIProxyBase: "/x"}, map[string]string{UIProxyBase: "/x", UIProxyRedirect: "/"}, nil},
		"two paths": {ingress("/x"), map[string]string{UIProxyBase: "/y"}, map[string]string{UIProxyBase: "/x", UIProxyRedirect: "/"},
			[]string{`spec.ui.ingress.path: value "/x" contradicts "/y" of spec.sparkConf[spark.ui.proxyBase]; remove one`}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Name: "pi", Namespace: "jobs"}}
			app.Spec.UI, app.Spec.SparkConf = tc.ui, tc.sparkConf
			merged, found := Merge(app, Sources{})
			var got map[string]string
			for _, key := range []string{UIProxyBase, UIProxyRedirect} {
				if value, ok := merged.Lookup(key); ok {
					if got == nil {
						got = map[string]string{}
					}
					got[key] = value
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("properties (-want +got):\n%s", diff)
			}
			var findings []string
			for _, f := range found {
				findings = append(findings, f.String())
			}
			if diff := cmp.Diff(tc.findings, findings); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}
