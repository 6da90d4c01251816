// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package companions follows the objects that accompany an application: its stable Service, the PodDisruptionBudget, the Ingress and the
// HTTPRoute of the web interface.
package companions

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

// operator of all tests of the package that run at the same time.
var operator = harness.Shared{Options: options(nil)}

// options of every operator of the package.
func options(network func(http.RoundTripper) http.RoundTripper) harness.OperatorOptions {
	return harness.OperatorOptions{
		Network: network, HistoryURL: "https://history.example.org/history/{{applicationID}}/jobs",
		UIHosts: []string{
			"{{name}}.{{namespace}}.example.org", "other.{{namespace}}.example.org", "spark.example.org/{{namespace}}/{{name}}", "shared.example.org",
		},
		UIAnnotations: []string{"keep", "drop", "of", "traefik.ingress.kubernetes.io/*"},
	}
}

// everything asks for all companions but the route.
func everything(app *v1alpha1.SparkApplication) {
	app.Spec.PodDisruptionBudget = v1alpha1.DisruptionDriver
	app.Spec.DriverService = &v1alpha1.DriverService{Ports: []v1alpha1.DriverServicePort{{Name: "metrics", Port: 8090}, {Name: "connect", Port: 15002}}}
	app.Spec.UI = &v1alpha1.UserInterface{
		ServiceMetadata: &v1alpha1.ServiceMetadata{Labels: map[string]string{"team": "data"}, Annotations: map[string]string{"of": "{{name}}"}},
		Ingress: &v1alpha1.UIIngress{
			Host: "{{name}}.{{namespace}}.example.org", Path: "/spark", TLSSecretName: "tls",
			Annotations: map[string]string{"keep": "me", "drop": "me"},
		},
	}
}

// set is what accompanies an application at one moment. An absent object is nil.
type set struct {
	service *corev1.Service
	budget  *policyv1.PodDisruptionBudget
	ingress *networkingv1.Ingress
	ui      *corev1.Service
}

// read lists what accompanies an application. More than one of a kind is an error.
func read(t *testing.T, app *v1alpha1.SparkApplication) set {
	t.Helper()
	var found set
	own := []client.ListOption{client.InNamespace(app.Namespace), client.MatchingLabels{v1alpha1.ApplicationUIDLabel: string(app.UID)}}
	services, budgets, ingresses := &corev1.ServiceList{}, &policyv1.PodDisruptionBudgetList{}, &networkingv1.IngressList{}
	for _, list := range []client.ObjectList{services, budgets, ingresses} {
		if err := env.Client().List(t.Context(), list, own...); err != nil {
			t.Fatal(err)
		}
	}
	for i := range services.Items {
		if s := &services.Items[i]; s.Name == app.Name {
			found.service = s
		} else if strings.HasSuffix(s.Name, "-driver-svc") {
			found.ui = s
		}
	}
	if len(budgets.Items) > 0 {
		found.budget = &budgets.Items[0]
	}
	if len(ingresses.Items) > 0 {
		found.ingress = &ingresses.Items[0]
	}
	return found
}

// eventually waits until what accompanies an application is as wanted.
func eventually(t *testing.T, app *v1alpha1.SparkApplication, what string, wanted func(set) bool) set {
	t.Helper()
	var last set
	env.UntilSeen(t, app.Name+" has "+what, func() (bool, env.Lazily) {
		last = read(t, app)
		return wanted(last), func() string {
			if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(app), app); err != nil {
				t.Log(err)
			}
			return fmt.Sprintf("service %+v\nbudget %+v\ningress %+v\nui %+v\n%s\nevents %q", last.service, last.budget, last.ingress, last.ui,
				harness.Show(app), warnings(t, app))
		}
	})
	return last
}

// complete reports whether all companions are there.
func complete(s set) bool {
	return s.service != nil && s.budget != nil && s.ingress != nil && s.ui != nil
}

// none reports whether no companion is there.
func none(s set) bool { return s.service == nil && s.budget == nil && s.ingress == nil }

// warnings returns the notes of the warning events about an application, by their reason.
func warnings(t *testing.T, app *v1alpha1.SparkApplication) map[string][]string {
	t.Helper()
	list := &eventsv1.EventList{}
	if err := env.Client().List(t.Context(), list, client.InNamespace(app.Namespace)); err != nil {
		t.Fatal(err)
	}
	notes := map[string][]string{}
	for i := range list.Items {
		if e := &list.Items[i]; e.Regarding.UID == app.UID && e.Type == corev1.EventTypeWarning {
			notes[e.Reason] = append(notes[e.Reason], e.Note)
		}
	}
	return notes
}

// warned waits for a warning event with the given words.
func warned(t *testing.T, app *v1alpha1.SparkApplication, reason string, words ...string) {
	t.Helper()
	env.UntilSeen(t, fmt.Sprintf("there is an event %s with %q", reason, words), func() (bool, []string) {
		notes := warnings(t, app)[reason]
		return slices.ContainsFunc(notes, func(note string) bool { return hasAll(note, words) }), notes
	})
}

func hasAll(text string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// address waits until the status names the web interface at an address.
func address(t *testing.T, app *v1alpha1.SparkApplication, wanted func(string) bool) {
	t.Helper()
	harness.Eventually(t, app, "shown at its address", func(a *v1alpha1.SparkApplication) bool {
		return a.Status.Driver != nil && wanted(a.Status.Driver.UIAddress)
	})
}

func outside(w *harness.World) func(string) bool {
	return func(at string) bool { return at == "https://pi."+w.Namespace+".example.org/spark" }
}

func inside(at string) bool {
	return strings.HasSuffix(at, "-driver-svc.test.svc:4040") || strings.Contains(at, "-driver-svc.")
}

// selects says that a selector selects exactly the driver of the current attempt.
func selects(t *testing.T, app *v1alpha1.SparkApplication, selector map[string]string, driver *corev1.Pod) {
	t.Helper()
	list := &corev1.PodList{}
	if err := env.Client().List(t.Context(), list, client.InNamespace(app.Namespace), client.MatchingLabels(selector)); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 1 || list.Items[0].UID != driver.UID {
		t.Errorf("%v selects %d pods, want the driver %s alone", selector, len(list.Items), driver.Name)
	}
}

func owned(t *testing.T, app *v1alpha1.SparkApplication, objects ...client.Object) {
	t.Helper()
	for _, obj := range objects {
		if !metav1.IsControlledBy(obj, app) {
			t.Errorf("%T %s is not owned by the application", obj, obj.GetName())
		}
	}
}
