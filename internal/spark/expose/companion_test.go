// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package expose

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/testing/golden"
)

// read reads an application of testdata.
func read(t *testing.T, name string) *v1alpha1.SparkApplication {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name, "app.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var app v1alpha1.SparkApplication
	if err := yaml.UnmarshalStrict(text, &app); err != nil {
		t.Fatal(err)
	}
	return &app
}

// running makes the status that of a first attempt with a driver.
func running(app *v1alpha1.SparkApplication) {
	app.Status = v1alpha1.SparkApplicationStatus{
		Run: 1, Attempt: 1, Queue: "team-a", Driver: &v1alpha1.DriverStatus{PodName: "driver"},
		Grant: &v1alpha1.Grant{Run: 1, Attempt: 1, Gate: v1alpha1.GateEmbedded, Queue: "team-a"},
	}
}

// TestGolden builds what accompanies a running attempt of testdata/<case>/app.yaml and compares it with want.yaml.
func TestGolden(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob("testdata/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no golden cases: %v", err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			app := read(t, filepath.Base(folder))
			running(app)
			in := InputOf(app)
			in.UIPort = 4040
			got := printed(t, in)
			golden.Compare(t, filepath.Join(folder, "want.yaml"), got)
		})
	}
}

func printed(t *testing.T, in Input) string {
	t.Helper()
	objects, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	var documents []string
	for _, object := range objects {
		text, err := yaml.Marshal(object.Object)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, string(text))
	}
	return strings.Join(documents, "---\n")
}

// TestWhen: which companions there are at which point of a life.
func TestWhen(t *testing.T) {
	t.Parallel()
	now := metav1.NewTime(time.Unix(1000, 0))
	waits := func(s *v1alpha1.SparkApplicationStatus) { s.Grant, s.Driver, s.Attempt = nil, nil, 2 }
	tests := map[string]struct {
		change func(app *v1alpha1.SparkApplication)
		port   int32
		want   []string
	}{
		"running":                 {func(*v1alpha1.SparkApplication) {}, 4040, []string{"Service", "PodDisruptionBudget", "Ingress", "HTTPRoute"}},
		"no web interface":        {func(*v1alpha1.SparkApplication) {}, 0, []string{"Service", "PodDisruptionBudget"}},
		"waiting for a retry":     {func(a *v1alpha1.SparkApplication) { waits(&a.Status) }, 0, []string{"Service"}},
		"suspended after a start": {func(a *v1alpha1.SparkApplication) { a.Status.Grant = nil }, 0, []string{"Service"}},
		"waiting for the first start": {func(a *v1alpha1.SparkApplication) {
			a.Status.Grant, a.Status.Driver = nil, nil
		}, 0, nil},
		"ended": {func(a *v1alpha1.SparkApplication) { a.Status.Grant, a.Status.Times.Finished = nil, &now }, 0, nil},
		"ended after retries": {func(a *v1alpha1.SparkApplication) {
			waits(&a.Status)
			a.Status.Times.Finished = &now
		}, 0, nil},
		"deleted": {func(a *v1alpha1.SparkApplication) { a.DeletionTimestamp = &now }, 4040, nil},
		"new":     {func(a *v1alpha1.SparkApplication) { a.Status = v1alpha1.SparkApplicationStatus{} }, 0, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := read(t, "all")
			running(app)
			tc.change(app)
			in := InputOf(app)
			in.UIPort = tc.port
			objects, err := Build(in)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, object := range objects {
				got = append(got, object.GetKind())
				if !metav1.IsControlledBy(object, app) {
					t.Errorf("%s is not owned by the application", object.GetKind())
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("companions (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	inside := "http://pi-bcg6z-1-1-driver-svc.jobs.svc:4040"
	both := map[string]bool{"Ingress": true, "HTTPRoute": true}
	tests := map[string]struct {
		app  string
		made map[string]bool
		port int32
		tls  bool
		want string
	}{
		"by the ingress first":      {"all", both, 4040, false, "https://jobs.example.org/spark/pi"},
		"by the route":              {"all", map[string]bool{"HTTPRoute": true}, 4040, false, "http://spark.example.org/spark/pi"},
		"by an encrypted route":     {"all", map[string]bool{"HTTPRoute": true}, 4040, true, "https://spark.example.org/spark/pi"},
		"nothing made":              {"all", nil, 4040, false, inside},
		"no web interface":          {"all", both, 0, false, ""},
		"at the root":               {"root", both, 4040, false, "http://pi.jobs.example.org"},
		"with a pattern":            {"pattern", both, 4040, false, "http://example.org/jobs/pi"},
		"a route without host name": {"route-without-host", both, 4040, false, inside},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := read(t, tc.app)
			running(app)
			in := InputOf(app)
			in.UIPort, in.RouteTLS = tc.port, tc.tls
			if got := Address(in, tc.made); got != tc.want {
				t.Errorf("address %q, want %q", got, tc.want)
			}
		})
	}
}

// TestUses: an application that uses nothing costs nothing, so this must not be true by accident.
func TestUses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spec     v1alpha1.SparkApplicationSpec
		want, ui bool
	}{
		"nothing":           {v1alpha1.SparkApplicationSpec{}, false, false},
		"an empty ui":       {v1alpha1.SparkApplicationSpec{UI: &v1alpha1.UserInterface{}}, false, false},
		"a budget of None":  {v1alpha1.SparkApplicationSpec{PodDisruptionBudget: v1alpha1.DisruptionNone}, false, false},
		"a budget":          {v1alpha1.SparkApplicationSpec{PodDisruptionBudget: v1alpha1.DisruptionDriver}, true, false},
		"a service":         {v1alpha1.SparkApplicationSpec{DriverService: &v1alpha1.DriverService{}}, true, false},
		"labels of its own": {v1alpha1.SparkApplicationSpec{UI: &v1alpha1.UserInterface{ServiceMetadata: &v1alpha1.ServiceMetadata{}}}, true, true},
		"a route":           {v1alpha1.SparkApplicationSpec{UI: &v1alpha1.UserInterface{Route: &v1alpha1.UIRoute{}}}, true, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, ui := Uses(&tc.spec), UsesUI(&tc.spec); got != tc.want || ui != tc.ui {
				t.Errorf("uses %t, of the web interface %t; want %t and %t", got, ui, tc.want, tc.ui)
			}
		})
	}
}

func TestEncrypts(t *testing.T) {
	t.Parallel()
	const listeners = `
- {name: http, protocol: HTTP, port: 80}
- {name: exact, protocol: HTTPS, port: 443, hostname: spark.example.org}
- {name: wild, protocol: HTTPS, port: 443, hostname: "*.example.com"}
- {name: passed, protocol: TLS, port: 443}
`
	tests := map[string]struct {
		host, section, listeners string
		want                     bool
	}{
		"its host":                      {"spark.example.org", "", listeners, true},
		"below a wildcard":              {"pi.example.com", "", listeners, true},
		"two levels below a wildcard":   {"pi.jobs.example.com", "", listeners, true},
		"the wildcard's own":            {".example.com", "", listeners, false},
		"another host":                  {"example.com", "", listeners, false},
		"the listener that is named":    {"spark.example.org", "exact", listeners, true},
		"a plain one that is named":     {"spark.example.org", "http", listeners, false},
		"another that is named":         {"spark.example.org", "wild", listeners, false},
		"TLS that is passed on":         {"spark.example.net", "passed", listeners, false},
		"a listener of every host":      {"spark.example.net", "", "[{name: all, protocol: HTTPS}]", true},
		"no listeners":                  {"spark.example.org", "", "", false},
		"something that is no listener": {"spark.example.org", "", "[7]", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var list []any
			if err := yaml.Unmarshal([]byte(tc.listeners), &list); err != nil {
				t.Fatal(err)
			}
			gateway := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"listeners": list}}}
			app := read(t, "route-without-host")
			app.Spec.UI.Route.Hostname = tc.host
			if got := Encrypts(gateway, app, v1alpha1.RouteParent{Name: "public", SectionName: tc.section}); got != tc.want {
				t.Errorf("encrypts: %t, want %t", got, tc.want)
			}
		})
	}
}
