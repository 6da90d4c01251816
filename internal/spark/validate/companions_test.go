// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStableService(t *testing.T) {
	t.Parallel()
	table{
		"ports": {"driverService: {ports: [{name: a, port: 1}, {name: b, port: 2}]}", nil},
		"the same port twice": {"driverService: {ports: [{name: a, port: 1}, {name: b, port: 1}]}", []string{
			`spec.driverService.ports[1].port: port 1 is already used by port "a"; choose another`,
		}},
	}.run(t)
	app := spec("driverService: {ports: [{name: a, port: 1}]}").application(t)
	app.Name = "1pi"
	want := []string{`spec.driverService: the Service gets the name of the application, and "1pi" is not a valid Service name: remove it, or begin metadata.name with a letter`}
	if diff := cmp.Diff(want, texts(Application(app))); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// TestReach: how a server is reached is checked as the web interface is.
func TestReach(t *testing.T) {
	t.Parallel()
	const connect, thrift = "{type: Scala, mainClass: '', mainApplicationFile: '', server: {type: Connect, ", "{type: Scala, mainClass: '', mainApplicationFile: '', server: {type: Thrift, "
	table{
		"both ways": {connect + "allowedNamespaces: [hub], ingress: {host: 'a.{{namespace}}.example.org'}, route: {hostname: b.example.org, parentRefs: [{name: public}]}}}", nil},
		"no host": {connect + "ingress: {}, route: {parentRefs: [{name: public}, {name: public}]}}}", []string{
			`spec.server.ingress.host: it is empty: set a host name such as {{name}}.{{namespace}}.example.org`,
			`spec.server.route.hostname: it is empty: set a host name such as {{name}}.{{namespace}}.example.org`,
			`spec.server.route.parentRefs[1]: it names the same Gateway and listener as one before it: remove it`,
		}},
		"an Ingress for JDBC": {thrift + "ingress: {host: a.example.org}}}", []string{
			`spec.server.ingress: a server of type Thrift speaks no HTTP: remove it; forward its port, or create a Service of type LoadBalancer`,
		}},
		"the name of its port is taken": {connect + "}, driverService: {ports: [{name: spark-connect, port: 8090}]}}", []string{
			`spec.driverService.ports: the name "spark-connect" is that of the server's port 15002: choose another`,
		}},
	}.run(t)
}

func TestServiceOfTheWebInterface(t *testing.T) {
	t.Parallel()
	table{
		"a reserved label": {"ui: {serviceMetadata: {labels: {spark-app-selector: x}}}", []string{
			`spec.ui.serviceMetadata.labels[spark-app-selector]: the label "spark-app-selector" is reserved by Spark: use another key`,
		}},
		"a label of the operator": {"ui: {serviceMetadata: {labels: {sparkgate.io/run: '7'}}}", []string{
			`spec.ui.serviceMetadata.labels[sparkgate.io/run]: the label "sparkgate.io/run" is reserved by Sparkgate: use another key`,
		}},
		"a token in a label": {"ui: {serviceMetadata: {labels: {app: '{{name}}'}}}", []string{
			`spec.ui.serviceMetadata.labels[app]: value "{{name}}" has a token, which is replaced in annotations only: write it out`,
		}},
		"an annotation of the operator": {"ui: {serviceMetadata: {annotations: {sparkgate.io/ui-service: x}}}", []string{
			`spec.ui.serviceMetadata.annotations[sparkgate.io/ui-service]: the annotation "sparkgate.io/ui-service" is reserved by Sparkgate: use another key`,
		}},
		"a token that nobody replaces": {"ui: {serviceMetadata: {annotations: {a: 'x-{{run}}'}}}", []string{
			`spec.ui.serviceMetadata.annotations[a]: the token {{run}} is not known: use {{name}} or {{namespace}}`,
		}},
		"a property, too": {"ui: {serviceMetadata: {labels: {a: x}, annotations: {b: y}}}\n" +
			"sparkConf: {spark.kubernetes.driver.service.label.a: x, spark.kubernetes.driver.service.annotation.b: z}", []string{
			`spec.ui.serviceMetadata.labels[a]: already set by spec.sparkConf[spark.kubernetes.driver.service.label.a]; remove one`,
			`spec.ui.serviceMetadata.annotations[b]: already set by spec.sparkConf[spark.kubernetes.driver.service.annotation.b]; remove one`,
		}},
	}.run(t)
}

func TestExposure(t *testing.T) {
	t.Parallel()
	const (
		noHost = `: use parts of at most 63 lower-case letters, digits and '-', with dots between them, such as {{name}}.{{namespace}}.example.org`
		noPath = `: begin with '/' and use letters, digits, '.', '_', '~' and '-' between single slashes, such as /{{namespace}}/{{name}}`
		noName = `: use lower-case letters, digits, '-' and '.', beginning and ending with a letter or digit`
	)
	table{
		"no host": {"ui: {ingress: {host: ''}}", []string{
			`spec.ui.ingress.host: it is empty: set a host name such as {{name}}.{{namespace}}.example.org`,
		}},
		"any host":      {"ui: {ingress: {host: '*.example.org'}}", []string{`spec.ui.ingress.host: invalid host name "*.example.org"` + noHost}},
		"with a port":   {"ui: {ingress: {host: 'example.org:80'}}", []string{`spec.ui.ingress.host: invalid host name "example.org:80"` + noHost}},
		"an address":    {"ui: {ingress: {host: 10.0.0.1}}", []string{`spec.ui.ingress.host: value "10.0.0.1" is an address: set a host name`}},
		"a wrong token": {"ui: {ingress: {host: '{{app}}.example.org'}}", []string{`spec.ui.ingress.host: the token {{app}} is not known: use {{name}} or {{namespace}}`}},
		"a long part": {"ui: {route: {parentRefs: [{name: g}], hostname: 'a23456789-123456789-123456789-123456789-123456789-123456789-{{name}}34.example.org'}}", []string{
			`spec.ui.route.hostname: value "a23456789-123456789-123456789-123456789-123456789-123456789-pi34.example.org" has the part ` +
				`"a23456789-123456789-123456789-123456789-123456789-123456789-pi34", which is too long for DNS: use at most 63 characters between two dots`,
		}},
		"a relative path": {"ui: {ingress: {host: h, path: spark}}", []string{`spec.ui.ingress.path: invalid path "spark"` + noPath}},
		"a blank":         {"ui: {ingress: {host: h, path: '/a b'}}", []string{`spec.ui.ingress.path: invalid path "/a b"` + noPath}},
		"two slashes":     {"ui: {ingress: {host: h, path: //a}}", []string{`spec.ui.ingress.path: invalid path "//a"` + noPath}},
		"dots":            {"ui: {ingress: {host: h, path: /a/../b}}", []string{`spec.ui.ingress.path: invalid path "/a/../b"` + noPath}},
		"another pattern": {"ui: {ingress: {host: h, path: '/a/(.*)'}}", []string{`spec.ui.ingress.path: invalid path "/a/(.*)"` + noPath}},
		"a pattern in a route": {"ui: {route: {parentRefs: [{name: g}], path: '/a(/|$)(.*)'}}", []string{
			`spec.ui.route.path: invalid path "/a(/|$)(.*)"` + noPath,
		}},
		"a class": {"ui: {ingress: {host: h, className: Traefik}}", []string{`spec.ui.ingress.className: invalid object name "Traefik"` + noName}},
		"a secret": {"ui: {ingress: {host: h, tlsSecretName: 'of {{name}}'}}", []string{
			`spec.ui.ingress.tlsSecretName: invalid object name "of pi"` + noName,
		}},
		"an annotation": {"ui: {ingress: {host: h, annotations: {'a b': c}}}", []string{
			`spec.ui.ingress.annotations[a b]: invalid annotation key "a b": use letters, digits, '-', '_' and '.', optionally after a domain and '/'`,
		}},
		"gateways": {"ui: {route: {parentRefs: [{name: ''}, {name: g, namespace: Gateways}, {name: h}, {name: h}]}}", []string{
			`spec.ui.route.parentRefs[0].name: it is empty: set the name of a Gateway`,
			`spec.ui.route.parentRefs[1].namespace: invalid name "Gateways": use lower-case letters, digits, '-' and '.', beginning and ending with a letter or digit`,
			`spec.ui.route.parentRefs[3]: it names the same Gateway and listener as one before it: remove it`,
		}},
	}.run(t)
}

func TestPathOfTheWebInterface(t *testing.T) {
	t.Parallel()
	table{
		"the same in both":            {"ui: {ingress: {host: h, path: '/{{name}}(/|$)(.*)'}, route: {parentRefs: [{name: g}], path: '/{{name}}/'}}", nil},
		"the same as of the property": {"ui: {ingress: {host: h, path: '/{{name}}/'}}\nsparkConf: {spark.ui.proxyBase: /pi}", nil},
		"redirects elsewhere":         {"ui: {ingress: {host: h, path: /pi}}\nsparkConf: {spark.ui.proxyRedirectUri: 'https://h'}", nil},
		"another in the route": {"ui: {ingress: {host: h, path: /a}, route: {parentRefs: [{name: g}]}}", []string{
			`spec.ui.route.path: value "/" contradicts "/a/" of spec.ui.ingress.path: Spark serves its web interface under one path, set the same in both`,
		}},
		"another than the property": {"ui: {route: {parentRefs: [{name: g}], path: '/{{name}}'}}\nsparkConf: {spark.ui.proxyBase: /b}", []string{
			`spec.ui.route.path: value "/pi" contradicts "/b" of spec.sparkConf[spark.ui.proxyBase]; remove one`,
		}},
		"the root and a property": {"ui: {ingress: {host: h}}\nsparkConf: {spark.ui.proxyBase: /b}", []string{
			`spec.ui.ingress.path: value "/" contradicts "/b" of spec.sparkConf[spark.ui.proxyBase]: set the same path, or remove the property`,
		}},
	}.run(t)
}

// TestCompanionsAlone: while an attempt runs, only what accompanies it is looked at.
func TestCompanionsAlone(t *testing.T) {
	t.Parallel()
	app := spec("mainClass: ''\nsparkConf: {spark.ui.proxyBase: /b, spark.master: x}\nui: {ingress: {host: 'h:', path: /a}}\ndriverService: {ports: [{name: a, port: 1}, {name: b, port: 1}]}").application(t)
	fields := make([]string, 0, 3)
	for _, finding := range Companions(app) {
		fields = append(fields, finding.Field)
	}
	if diff := cmp.Diff([]string{"spec.ui.ingress.path", "spec.driverService.ports[1].port", "spec.ui.ingress.host"}, fields); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

func TestPathThatNobodyTakesAway(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"ui: {ingress: {host: h, path: /a}}":                                        1,
		"ui: {ingress: {host: h, path: /a, annotations: {b: c}}}":                   0,
		"ui: {ingress: {host: h}}":                                                  0,
		"ui: {route: {parentRefs: [{name: g}], path: /a}}":                          0,
		"ui: {serviceMetadata: {}}":                                                 0,
		"ui: {ingress: {host: h, path: /a}}\nsparkConf: {spark.ui.enabled: 'true'}": 1,
	} {
		found := Warnings(spec(text).application(t))
		if len(found) != want {
			t.Errorf("%s: %v, want %d warnings", text, found, want)
		}
		for _, warning := range found {
			if warning.Field != "spec.ui.ingress.path" {
				t.Errorf("%s: %v", text, warning)
			}
		}
	}
}

func TestExposedButSwitchedOff(t *testing.T) {
	t.Parallel()
	app := spec("ui: {ingress: {host: h}, route: {parentRefs: [{name: g}]}}\nsparkConf: {spark.ui.enabled: 'false'}").application(t)
	var got []string
	for _, warning := range Warnings(app) {
		got = append(got, warning.String())
	}
	const off = "nothing is created, because spec.sparkConf[spark.ui.enabled] switches the web interface off; remove one"
	if diff := cmp.Diff([]string{"spec.ui.ingress: " + off, "spec.ui.route: " + off}, got); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if found := Application(app); len(found) > 0 {
		t.Errorf("findings: %v", found)
	}
}
