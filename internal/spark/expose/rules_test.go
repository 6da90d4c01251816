// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package expose

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

func TestCheckRules(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		rules Rules
		want  string // empty: they are fine
	}{
		"none":                    {Rules{}, ""},
		"a host":                  {Rules{Hosts: []string{"{{name}}.{{namespace}}.spark.example.org"}}, ""},
		"a path":                  {Rules{Hosts: []string{"spark.example.org/ui/{{namespace}}/{{name}}/"}}, ""},
		"a scheme":                {Rules{Hosts: []string{"https://spark.example.org"}}, `--ui-hosts has "https://spark.example.org"`},
		"a port":                  {Rules{Hosts: []string{"spark.example.org:8443"}}, `--ui-hosts has`},
		"a wildcard":              {Rules{Hosts: []string{"*.spark.example.org"}}, `--ui-hosts has "*.spark.example.org"`},
		"capitals":                {Rules{Hosts: []string{"Spark.example.org"}}, `--ui-hosts has`},
		"an unknown token":        {Rules{Hosts: []string{"{{user}}.example.org"}}, `--ui-hosts has "{{user}}.example.org"`},
		"a path alone":            {Rules{Hosts: []string{"/{{namespace}}"}}, `--ui-hosts has`},
		"a path that goes up":     {Rules{Hosts: []string{"example.org/a/../b"}}, `--ui-hosts has`},
		"a pattern":               {Rules{Hosts: []string{"example.org/{{name}}(/|$)(.*)"}}, `--ui-hosts has`},
		"keys":                    {Rules{Annotations: []string{"keep", "haproxy.org/*", "nginx.ingress.kubernetes.io/rewrite-target"}}, ""},
		"every key":               {Rules{Annotations: []string{"*"}}, `--ui-annotations has "*"`},
		"a prefix of a prefix":    {Rules{Annotations: []string{"nginx*"}}, `--ui-annotations has "nginx*"`},
		"what cannot be a prefix": {Rules{Annotations: []string{"a b/*"}}, `--ui-annotations has`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := tc.rules.Check()
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// exposing returns the application etl in the namespace jobs.
func exposing(ui v1alpha1.UserInterface) *v1alpha1.SparkApplication {
	app := &v1alpha1.SparkApplication{}
	app.Name, app.Namespace, app.Spec.UI = "etl", "jobs", &ui
	return app
}

func TestJudge(t *testing.T) {
	t.Parallel()
	rules := Rules{
		Hosts:       []string{"{{name}}.{{namespace}}.spark.example.org", "example.org/ui/{{namespace}}"},
		Annotations: []string{"exact.example.org/key", "haproxy.org/*"},
	}
	ingress := func(host, path string) v1alpha1.UserInterface {
		return v1alpha1.UserInterface{Ingress: &v1alpha1.UIIngress{Host: host, Path: path}}
	}
	noted := func(keys ...string) v1alpha1.UserInterface {
		ui := ingress("etl.jobs.spark.example.org", "")
		ui.Ingress.Annotations = map[string]string{}
		for _, key := range keys {
			ui.Ingress.Annotations[key] = "x"
		}
		return ui
	}
	const allowed = `use one of "etl.jobs.spark.example.org, example.org/ui/jobs", which the operator's flag --ui-hosts allows`
	host := func(value string) []string {
		return []string{`spec.ui.ingress.host: value "` + value + `" is not allowed for this application: ` + allowed}
	}
	tests := map[string]struct {
		rules   Rules
		ui      v1alpha1.UserInterface
		granted []string
		refused []string
	}{
		"no rules": {Rules{}, ingress("etl.jobs.spark.example.org", ""), nil,
			[]string{"spec.ui.ingress: no host is allowed: have an administrator set the operator's flag --ui-hosts, or remove it"}},
		"its host":                        {rules, ingress("{{name}}.{{namespace}}.spark.example.org", ""), []string{"spec.ui.ingress etl.jobs.spark.example.org"}, nil},
		"a path of its host":              {rules, ingress("etl.jobs.spark.example.org", "/a"), []string{"spec.ui.ingress etl.jobs.spark.example.org/a"}, nil},
		"its path":                        {rules, ingress("example.org", "/ui/jobs"), []string{"spec.ui.ingress example.org/ui/jobs"}, nil},
		"below its path, as a pattern":    {rules, ingress("example.org", "/ui/jobs/etl(/|$)(.*)"), []string{"spec.ui.ingress example.org/ui/jobs/etl"}, nil},
		"another's":                       {rules, ingress("bank.team-b.spark.example.org", ""), nil, host("bank.team-b.spark.example.org")},
		"another name of the namespace":   {rules, ingress("other.jobs.spark.example.org", ""), nil, host("other.jobs.spark.example.org")},
		"a host above":                    {rules, ingress("spark.example.org", ""), nil, host("spark.example.org")},
		"a host below":                    {rules, ingress("x.etl.jobs.spark.example.org", ""), nil, host("x.etl.jobs.spark.example.org")},
		"its host, in capitals":           {rules, ingress("ETL.jobs.spark.example.org", ""), nil, host("ETL.jobs.spark.example.org")},
		"its host, with a dot":            {rules, ingress("etl.jobs.spark.example.org.", ""), nil, host("etl.jobs.spark.example.org.")},
		"its host, with a port":           {rules, ingress("etl.jobs.spark.example.org:80", ""), nil, host("etl.jobs.spark.example.org:80")},
		"a wildcard":                      {rules, ingress("*.jobs.spark.example.org", ""), nil, host("*.jobs.spark.example.org")},
		"the root of the shared host":     {rules, ingress("example.org", "/"), nil, host("example.org")},
		"another's path":                  {rules, ingress("example.org", "/ui/team-b"), nil, host("example.org/ui/team-b")},
		"a path that begins like its own": {rules, ingress("example.org", "/ui/jobs-b"), nil, host("example.org/ui/jobs-b")},
		"a part of its path":              {rules, ingress("example.org", "/ui"), nil, host("example.org/ui")},
		"a route to its host": {rules, v1alpha1.UserInterface{Route: &v1alpha1.UIRoute{Hostname: "etl.jobs.spark.example.org", Path: "/x"}},
			[]string{"spec.ui.route etl.jobs.spark.example.org/x"}, nil},
		"a route to every host": {rules, v1alpha1.UserInterface{Route: &v1alpha1.UIRoute{Path: "/ui/jobs"}}, nil,
			[]string{`spec.ui.route.hostname: value "/ui/jobs" is not allowed for this application: ` + allowed}},
		"one of two": {rules, v1alpha1.UserInterface{Ingress: &v1alpha1.UIIngress{Host: "b.org"}, Route: &v1alpha1.UIRoute{Hostname: "etl.jobs.spark.example.org"}},
			[]string{"spec.ui.route etl.jobs.spark.example.org"}, host("b.org")},
		"annotations that are allowed": {rules, noted("exact.example.org/key", "haproxy.org/path-rewrite"), []string{"spec.ui.ingress etl.jobs.spark.example.org"}, nil},
		"a snippet": {rules, noted("haproxy.org/path-rewrite", "nginx.ingress.kubernetes.io/server-snippet"), nil, []string{
			"spec.ui.ingress.annotations[nginx.ingress.kubernetes.io/server-snippet]: it is not allowed: remove it, or have an administrator add the key to the operator's flag --ui-annotations"}},
		"an annotation that begins like one": {rules, noted("exact.example.org/key2"), nil, []string{
			"spec.ui.ingress.annotations[exact.example.org/key2]: it is not allowed: remove it, or have an administrator add the key to the operator's flag --ui-annotations"}},
		"a prefix that begins like one": {rules, noted("haproxy.org.evil/x"), nil, []string{
			"spec.ui.ingress.annotations[haproxy.org.evil/x]: it is not allowed: remove it, or have an administrator add the key to the operator's flag --ui-annotations"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			granted, refused := tc.rules.Judge(exposing(tc.ui))
			var places, messages []string
			for _, g := range granted {
				places = append(places, g.Field+" "+g.Place.String())
			}
			for _, r := range refused {
				messages = append(messages, r.String())
			}
			if diff := cmp.Diff(tc.granted, places); diff != "" {
				t.Errorf("granted (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.refused, messages); diff != "" {
				t.Errorf("refused (-want +got):\n%s", diff)
			}
		})
	}
}

// TestServiceAnnotations: those of the Service of the attempt are held to the same list, whether a field or a property of Spark sets them.
func TestServiceAnnotations(t *testing.T) {
	t.Parallel()
	rules := Rules{Annotations: []string{"exact.example.org/key", "haproxy.org/*"}}
	keys := []string{"exact.example.org/key", "exact.example.org/key2", "external-dns.alpha.kubernetes.io/hostname", "haproxy.org/x", "prometheus.io/port", "prometheus.io/any"}
	notes, properties := map[string]string{}, conf.Properties{}
	for _, key := range keys {
		notes[key] = "x"
		properties.Set(conf.DriverServiceNotes+key, "x", conf.Origin{Field: "spec.sparkConf[" + conf.DriverServiceNotes + key + "]"})
	}
	remedy := ": it is not allowed: remove it, or have an administrator add the key to the operator's flag --ui-annotations"
	app := exposing(v1alpha1.UserInterface{ServiceMetadata: &v1alpha1.ServiceMetadata{Annotations: notes}})
	for name, tc := range map[string]struct {
		got    []Refusal
		prefix string
	}{
		"the field":    {rules.JudgeService(app), "spec.ui.serviceMetadata.annotations["},
		"the property": {rules.JudgeProperties(properties), "spec.sparkConf[" + conf.DriverServiceNotes},
	} {
		var want []string
		for _, key := range []string{"exact.example.org/key2", "external-dns.alpha.kubernetes.io/hostname", "prometheus.io/any"} {
			want = append(want, tc.prefix+key+"]"+remedy)
		}
		if got := Join(tc.got); got != strings.Join(want, "; ") {
			t.Errorf("%s: %s", name, got)
		}
	}
	left := render.UIServiceOf(app, rules.ServiceAnnotation).Annotations
	if record := left[v1alpha1.UIServiceAnnotation]; record != `{"annotations":["exact.example.org/key","haproxy.org/x","prometheus.io/port"]}` || len(left) != 4 {
		t.Errorf("the Service gets %v", left)
	}
	if found := (Rules{}).JudgeService(exposing(v1alpha1.UserInterface{})); found != nil {
		t.Errorf("found %v where nothing is set", found)
	}
}
