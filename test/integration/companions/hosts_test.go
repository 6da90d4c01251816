// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package companions

import (
	"context"
	"testing"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// withIngress asks for an Ingress alone.
func withIngress(host, path string, annotations ...string) func(*v1alpha1.SparkApplication) {
	return func(app *v1alpha1.SparkApplication) {
		app.Spec.UI = &v1alpha1.UserInterface{Ingress: &v1alpha1.UIIngress{Host: host, Path: path}}
		for _, key := range annotations {
			app.Spec.UI.Ingress.Annotations = map[string]string{key: "x"}
		}
	}
}

// ingressAt returns a user's own Ingress.
func ingressAt(namespace, host string) *networkingv1.Ingress {
	return &networkingv1.Ingress{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "own"},
		Spec: networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{{Host: host, IngressRuleValue: networkingv1.IngressRuleValue{
			HTTP: &networkingv1.HTTPIngressRuleValue{Paths: []networkingv1.HTTPIngressPath{{
				Path: "/", PathType: ptr.To(networkingv1.PathTypePrefix),
				Backend: networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "own", Port: networkingv1.ServiceBackendPort{Number: 80}}},
			}}},
		}}}},
	}
}

// TestHostsNotAllowed: a host or an annotation that no administrator has allowed is not asked for with the operator's rights. The job runs all the
// same, and stays reachable once its spec is corrected.
func TestHostsNotAllowed(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	tests := map[string]struct {
		change func(*v1alpha1.SparkApplication)
		words  []string
	}{
		"another's host": {withIngress("bank.team-b.example.org", ""), []string{"spec.ui.ingress.host", `"bank.team-b.example.org" is not allowed`, "--ui-hosts"}},
		"another's path": {withIngress("spark.example.org", "/team-b"), []string{"spec.ui.ingress.host", `"spark.example.org/team-b" is not allowed`}},
		"a snippet": {withIngress("{{name}}.{{namespace}}.example.org", "", "nginx.ingress.kubernetes.io/server-snippet"),
			[]string{"spec.ui.ingress.annotations[nginx.ingress.kubernetes.io/server-snippet]", "--ui-annotations"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "3Gi", nil)
			operator.Use(t)
			app := w.Apply("pi", tc.change)
			driver := w.Run(app)
			warned(t, app, "CompanionCreateFailed", tc.words...)
			if s := read(t, app); s.ingress != nil {
				t.Errorf("an Ingress was made: %+v", s.ingress)
			}
			address(t, app, inside)
			harness.Change(t, app, withIngress("{{name}}.{{namespace}}.example.org", ""))
			made := eventually(t, app, "an Ingress", func(s set) bool { return s.ingress != nil })
			harness.Change(t, app, tc.change)
			eventually(t, app, "no Ingress", func(s set) bool { return s.ingress == nil })
			if made.ingress.Spec.Rules[0].Host != "pi."+w.Namespace+".example.org" {
				t.Errorf("made %+v", made.ingress.Spec)
			}
			w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
			w.Reach(app, "Succeeded")
		})
	}
}

// TestServiceAnnotationsNotAllowed: an instruction for a controller that serves the whole cluster does not get onto the Service of the attempt, by
// neither of the two ways, nor by an edit.
func TestServiceAnnotationsNotAllowed(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "3Gi", nil)
	const dns, other = "external-dns.alpha.kubernetes.io/hostname", "service.example.org/expose"
	annotate := func(notes map[string]string) func(*v1alpha1.SparkApplication) {
		return func(a *v1alpha1.SparkApplication) {
			a.Spec.UI = &v1alpha1.UserInterface{ServiceMetadata: &v1alpha1.ServiceMetadata{Annotations: notes}}
		}
	}
	app := w.Apply("pi", annotate(map[string]string{"keep": "me", dns: "bank.example.org"}), func(a *v1alpha1.SparkApplication) {
		if a.Spec.SparkConf == nil {
			a.Spec.SparkConf = map[string]string{}
		}
		a.Spec.SparkConf["spark.kubernetes.driver.service.annotation."+other] = "bank"
	})
	w.Run(app)
	warned(t, app, "CompanionCreateFailed", "spec.ui.serviceMetadata.annotations["+dns+"]", "--ui-annotations")
	warned(t, app, "CompanionCreateFailed", other, "--ui-annotations")
	kept := func(value string) func(set) bool {
		return func(s set) bool { return s.ui != nil && s.ui.Annotations["keep"] == value }
	}
	for _, value := range []string{"me", "you"} {
		harness.Change(t, app, annotate(map[string]string{"keep": value, dns: "bank.example.org", "a.example.org/b": "x"}))
		made := eventually(t, app, "the annotation that is allowed", kept(value)).ui
		for _, key := range []string{dns, other, "a.example.org/b"} {
			if text, has := made.Annotations[key]; has {
				t.Errorf("the Service has %s: %s", key, text)
			}
		}
	}
}

// laterThan creates an Ingress that is younger than another by what the API server says, which counts in seconds.
func laterThan(t *testing.T, first, later *networkingv1.Ingress) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		created := later.DeepCopy()
		if err := env.Client().Create(ctx, created); err != nil {
			return false, err
		}
		if created.CreationTimestamp.After(first.CreationTimestamp.Time) {
			return true, nil
		}
		return false, env.Client().Delete(ctx, created)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestHostIsHeld: what another namespace holds already is left to it; when it goes, the Ingress is created without intervention, and who comes
// later does not take it away.
func TestHostIsHeld(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	elsewhere := env.Namespace(t)
	holder := ingressAt(elsewhere, "shared.example.org")
	harness.Create(t, holder)
	app := w.Apply("pi", withIngress("shared.example.org", ""))
	driver := w.Run(app)
	warned(t, app, "CompanionCreateFailed", "spec.ui.ingress", `"shared.example.org" is held by an Ingress of another namespace`)
	if s := read(t, app); s.ingress != nil {
		t.Errorf("an Ingress was made: %+v", s.ingress)
	}
	if err := env.Client().Delete(t.Context(), holder); err != nil {
		t.Fatal(err)
	}
	made := eventually(t, app, "an Ingress", func(s set) bool { return s.ingress != nil })
	address(t, app, func(at string) bool { return at == "http://shared.example.org" })

	laterThan(t, made.ingress, ingressAt(elsewhere, "shared.example.org"))
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.UI.Ingress.Annotations = map[string]string{"keep": "me"} })
	kept := eventually(t, app, "the annotation", func(s set) bool { return s.ingress != nil && s.ingress.Annotations["keep"] == "me" })
	if kept.ingress.UID != made.ingress.UID {
		t.Error("the Ingress was made anew")
	}
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, "Succeeded")
	eventually(t, app, "no Ingress", func(s set) bool { return s.ingress == nil })
}
