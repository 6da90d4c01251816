// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package expose

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

func objectFrom(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
		t.Fatal(err)
	}
	return object
}

func TestClaimsOf(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		object string
		want   []string
	}{
		"hosts and paths": {
			"{kind: Ingress, spec: {rules: [{host: a.org, http: {paths: [{path: /x/}, {path: /y}, {}]}}, {host: b.org}, {http: {paths: [{path: /z}]}}]}}",
			[]string{"a.org/x", "a.org/y", "a.org", "b.org", "/z"},
		},
		"no rules":               {"{kind: Ingress, spec: {defaultBackend: {}}}", nil},
		"other letters":          {"{kind: Ingress, spec: {rules: [{host: A.Org.}]}}", []string{"a.org"}},
		"patterns":               {`{kind: Ingress, spec: {rules: [{host: a.org, http: {paths: [{path: "/x/y(/|$)(.*)"}, {path: "/x/y.*"}, {path: "/.*"}, {path: "/(x|y)"}]}}]}}`, []string{"a.org/x/y", "a.org/x", "a.org", "a.org"}},
		"things of no form":      {"{kind: Ingress, spec: {rules: [7, {host: 8, http: {paths: [9]}}]}}", []string{""}},
		"a route":                {"{kind: HTTPRoute, spec: {hostnames: [a.org, b.org], rules: [{matches: [{path: {type: PathPrefix, value: /x}}, {}]}]}}", []string{"a.org/x", "a.org", "b.org/x", "b.org"}},
		"a route without rules":  {"{kind: HTTPRoute, spec: {hostnames: [a.org]}}", []string{"a.org"}},
		"a route of its gateway": {"{kind: HTTPRoute, spec: {rules: [{}]}}", nil},
		"another kind":           {"{kind: Service, spec: {rules: [{host: a.org}]}}", nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, c := range ClaimsOf(objectFrom(t, tc.object)) {
				got = append(got, c.Place.String())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("claims (-want +got):\n%s", diff)
			}
		})
	}
}

// TestConflict: whose is what of a host, for the application etl of the namespace jobs.
func TestConflict(t *testing.T) {
	t.Parallel()
	rules := Rules{Hosts: []string{"etl.spark.example.org", "example.org/{{namespace}}"}}
	const held = "held by an Ingress of another namespace: use another host or path"
	at := func(second int) time.Time { return time.Unix(int64(second), 0) }
	tests := map[string]struct {
		host, path string
		own        Claim
		other      Claim
		conflict   bool
	}{
		"nobody":                       {host: "etl.spark.example.org", other: Claim{Place: Place{Host: "other.org"}, Namespace: "b"}},
		"the whole host":               {host: "etl.spark.example.org", other: Claim{Place: Place{Host: "etl.spark.example.org"}, Namespace: "b"}, conflict: true},
		"a path of the host":           {host: "etl.spark.example.org", other: Claim{Place: Place{"etl.spark.example.org", "/x"}, Namespace: "b"}, conflict: true},
		"the host, ours is a path":     {host: "etl.spark.example.org", path: "/x", other: Claim{Place: Place{Host: "etl.spark.example.org"}, Namespace: "b"}, conflict: true},
		"another path of the host":     {host: "etl.spark.example.org", path: "/x", other: Claim{Place: Place{"etl.spark.example.org", "/y"}, Namespace: "b"}},
		"a path that begins alike":     {host: "etl.spark.example.org", path: "/x", other: Claim{Place: Place{"etl.spark.example.org", "/xy"}, Namespace: "b"}},
		"one's own namespace":          {host: "etl.spark.example.org", other: Claim{Place: Place{Host: "etl.spark.example.org"}, Namespace: "jobs"}},
		"our path":                     {host: "example.org", path: "/jobs", other: Claim{Place: Place{"example.org", "/jobs"}, Namespace: "b"}, conflict: true},
		"below our path":               {host: "example.org", path: "/jobs", other: Claim{Place: Place{"example.org", "/jobs/x"}, Namespace: "b"}, conflict: true},
		"the area, ours is below":      {host: "example.org", path: "/jobs/x", other: Claim{Place: Place{"example.org", "/jobs"}, Namespace: "b"}, conflict: true},
		"the page at the root":         {host: "example.org", path: "/jobs", other: Claim{Place: Place{Host: "example.org"}, Namespace: "b"}},
		"an older one":                 {host: "etl.spark.example.org", own: Claim{UID: "a", Since: at(2)}, other: Claim{Place: Place{Host: "etl.spark.example.org"}, Namespace: "b", UID: "b", Since: at(1)}, conflict: true},
		"a younger one":                {host: "etl.spark.example.org", own: Claim{UID: "a", Since: at(1)}, other: Claim{Place: Place{Host: "etl.spark.example.org"}, Namespace: "b", UID: "b", Since: at(2)}},
		"at once, ours is the first":   {host: "etl.spark.example.org", own: Claim{UID: "a", Since: at(1)}, other: Claim{Place: Place{Host: "etl.spark.example.org"}, Namespace: "b", UID: "b", Since: at(1)}},
		"at once, theirs is the first": {host: "etl.spark.example.org", own: Claim{UID: "b", Since: at(1)}, other: Claim{Place: Place{Host: "etl.spark.example.org"}, Namespace: "b", UID: "a", Since: at(1)}, conflict: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			granted, refused := rules.Judge(exposing(v1alpha1.UserInterface{Ingress: &v1alpha1.UIIngress{Host: tc.host, Path: tc.path}}))
			if len(granted) != 1 {
				t.Fatalf("not granted: %v", refused)
			}
			tc.other.Kind = "Ingress"
			want := ""
			if tc.conflict {
				want = `spec.ui.ingress: "` + tc.other.Place.String() + `" is ` + held
			}
			if got := granted[0].Conflict("jobs", tc.own, []Claim{tc.other}); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
