// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package optionalkind

import (
	"context"
	"os"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/queueing/optionalkind"
	"github.com/sparkgate/sparkgate/test/integration/env"
)

func TestMain(m *testing.M) { os.Exit(env.Main(m)) }

var ticket = schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Ticket"}

// TestComesAndGoes: a kind that is not served is not an error; once it is, its objects are seen; when it goes, they are gone, and when it
// comes back they are seen again.
func TestComesAndGoes(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c, err := client.NewWithWatch(env.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	turns, changes := make(chan bool, 16), make(chan string, 64)
	w := optionalkind.New(optionalkind.Options{
		Client: c, Object: empty(), List: emptyList(), Interval: 100 * time.Millisecond,
		Selector: labels.SelectorFromSet(labels.Set{"mine": "yes"}),
		Indexes: cache.Indexers{"seat": func(obj any) ([]string, error) {
			return []string{obj.(client.Object).GetLabels()["seat"]}, nil
		}},
		Changed:             func(obj client.Object) { changes <- obj.GetName() },
		AvailabilityChanged: func(installed bool) { turns <- installed },
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Start(ctx) }()

	if err := w.WaitUntilKnown(ctx); err != nil || next(t, turns) || w.Installed() || w.Get("default", "a") != nil {
		t.Fatalf("the kind is not served: known %v, installed %t", err, w.Installed())
	}
	for range 2 {
		install(t, c)
		if !next(t, turns) || !w.Installed() {
			t.Fatal("the kind is served")
		}
		sees(t, c, w, changes)
		uninstall(t, c)
		if next(t, turns) || w.Installed() || w.Get("default", "a") != nil || w.By("seat", "7") != nil {
			t.Error("the kind is gone, and something of it is left")
		}
		drain(changes)
	}
	stop()
	if err := next(t, ended); err != nil {
		t.Error(err)
	}
}

// sees: the selected objects are reported and kept, the others are not.
func sees(t *testing.T, c client.Client, w *optionalkind.Watch, changes <-chan string) {
	t.Helper()
	create(t, c, "a", map[string]string{"mine": "yes", "seat": "7"})
	create(t, c, "b", map[string]string{"seat": "7"})
	create(t, c, "c", map[string]string{"mine": "yes", "seat": "8"})
	seen := map[string]bool{next(t, changes): true, next(t, changes): true}
	if len(seen) != 2 || seen["b"] {
		t.Errorf("changes of %v, want a and c", seen)
	}
	if got := w.By("seat", "7"); len(got) != 1 || got[0].GetName() != "a" || got[0].GetManagedFields() != nil {
		t.Errorf("in seat 7: %v", got)
	}
}

func drain(changes <-chan string) {
	for len(changes) > 0 {
		<-changes
	}
}

// next returns the next thing that a watch reports.
func next[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case got := <-from:
		return got
	case <-time.After(time.Minute):
		t.Fatal("nothing was told within a minute")
	}
	panic("unreachable")
}

func empty() *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(ticket)
	return u
}

func emptyList() *unstructured.UnstructuredList {
	u := &unstructured.UnstructuredList{}
	u.SetGroupVersionKind(ticket.GroupVersion().WithKind(ticket.Kind + "List"))
	return u
}

func create(t *testing.T, c client.Client, name string, labels map[string]string) {
	t.Helper()
	u := empty()
	u.SetNamespace("default")
	u.SetName(name)
	u.SetLabels(labels)
	if err := c.Create(t.Context(), u); err != nil {
		t.Fatal(err)
	}
}

func definition() *apiextensionsv1.CustomResourceDefinition {
	open := true
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "tickets.example.org"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: ticket.Group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "tickets", Singular: "ticket", Kind: ticket.Kind, ListKind: ticket.Kind + "List"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: ticket.Version, Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &open}},
			}},
		},
	}
}

func install(t *testing.T, c client.Client) {
	t.Helper()
	if err := c.Create(t.Context(), definition()); err != nil {
		t.Fatal(err)
	}
}

// uninstall returns when the definition, and with it every object, is gone.
func uninstall(t *testing.T, c client.Client) {
	t.Helper()
	if err := c.Delete(t.Context(), definition()); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if apierrors.IsNotFound(c.Get(t.Context(), client.ObjectKeyFromObject(definition()), definition())) {
			return
		}
	}
	t.Fatal("the definition is still there after a minute")
}
