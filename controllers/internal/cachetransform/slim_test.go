// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cachetransform

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/templatehash"
)

// large returns an application that what makes at least that large, with the fields that decisions about a running run
// need.
func large(bytes int, what func(app *v1alpha1.SparkApplication, text string)) *v1alpha1.SparkApplication {
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: "pi", UID: "pi-uid", ResourceVersion: "7", Generation: 3, Finalizers: []string{"other", v1alpha1.Finalizer},
		Annotations:   map[string]string{meta.ReconcileRequestAnnotation: "now", "team": "a", "argocd.argoproj.io/tracking-id": strings.Repeat("x", 1000)},
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl", FieldsV1: metav1.NewFieldsV1("{}")}},
	}}
	app.Spec = v1alpha1.SparkApplicationSpec{
		Type: v1alpha1.PythonApplication, SparkVersion: "4.1.4", Image: "spark", Suspend: true,
		Timeouts: &v1alpha1.Timeouts{Run: &v1alpha1.Duration{Duration: time.Hour}},
		Queue:    &v1alpha1.QueueReference{Name: "team-a", Flavors: &v1alpha1.FlavorChoice{Driver: []string{"spot"}}},
	}
	app.Status.Run, app.Status.Grant = 2, &v1alpha1.Grant{Run: 2, Queue: "team-a"}
	what(app, strings.Repeat("x", bytes))
	return app
}

// ways are the ways to make an application large.
var ways = map[string]func(app *v1alpha1.SparkApplication, text string){
	"an argument":    func(a *v1alpha1.SparkApplication, text string) { a.Spec.Arguments = []string{text} },
	"many arguments": func(a *v1alpha1.SparkApplication, text string) { a.Spec.Arguments = make([]string, len(text)/3+1) },
	"a template":     func(a *v1alpha1.SparkApplication, text string) { a.Spec.Driver.Template = raw(text) },
	"volumes": func(a *v1alpha1.SparkApplication, text string) {
		a.Spec.Executor.Volumes = []runtime.RawExtension{*raw(text)}
	},
	"a property": func(a *v1alpha1.SparkApplication, text string) { a.Spec.SparkConf = map[string]string{"spark.x": text} },
	"a file": func(a *v1alpha1.SparkApplication, text string) {
		a.Spec.ConfigMaps = []v1alpha1.InlineConfigMap{{Data: map[string]string{"f": text}}}
	},
	"an annotation": func(a *v1alpha1.SparkApplication, text string) { a.Annotations["note"] = text },
	"a label":       func(a *v1alpha1.SparkApplication, text string) { a.Labels = map[string]string{"note": text} },
	"finalizers":    func(a *v1alpha1.SparkApplication, text string) { a.Finalizers = append(a.Finalizers, text) },
	"a flavor":      func(a *v1alpha1.SparkApplication, text string) { a.Spec.Queue.Flavors.Executor = []string{text} },
	"owners": func(a *v1alpha1.SparkApplication, text string) {
		a.OwnerReferences = []metav1.OwnerReference{{Name: text}}
	},
	"an Ingress note": func(a *v1alpha1.SparkApplication, text string) {
		a.Spec.UI = &v1alpha1.UserInterface{Ingress: &v1alpha1.UIIngress{Annotations: map[string]string{"x": text}}}
	},
}

func raw(text string) *runtime.RawExtension {
	return &runtime.RawExtension{Raw: []byte(`{"metadata":{"annotations":{"x":"` + text + `"}}}`)}
}

// TestStub: whatever makes an application too large, its stub is small, contains the size, and keeps the fields that a
// running run needs.
func TestStub(t *testing.T) {
	t.Parallel()
	for name, what := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := large(1_400_000, what)
			status := *app.Status.DeepCopy()
			kept := transform(t, app)
			if kept.Stub == nil || kept.Stub.Size < 1_400_000 || kept.Stub.Size > 1_500_000 {
				t.Fatalf("it says %+v", kept.Stub)
			}
			if text, _ := json.Marshal(kept); len(text) > 4<<10 {
				t.Errorf("the stub takes %d bytes", len(text))
			}
			want := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{
				Namespace: "default", Name: "pi", UID: "pi-uid", ResourceVersion: "7", Generation: 3, Finalizers: []string{v1alpha1.Finalizer},
				Annotations: map[string]string{meta.ReconcileRequestAnnotation: "now"},
			}, Status: status, Stub: kept.Stub}
			want.Spec = v1alpha1.SparkApplicationSpec{Type: v1alpha1.PythonApplication, SparkVersion: "4.1.4", Suspend: true,
				Timeouts: &v1alpha1.Timeouts{Run: &v1alpha1.Duration{Duration: time.Hour}}, Queue: &v1alpha1.QueueReference{Name: "team-a"}}
			if diff := cmp.Diff(want, kept); diff != "" {
				t.Errorf("stub (-want +got):\n%s", diff)
			}
			if again := transform(t, kept.DeepCopy()); !cmp.Equal(kept, again) {
				t.Error("another time gives something else")
			}
		})
	}
}

// TestWhatFitsIsKeptWhole: an application within the bound loses nothing but managed fields and kubectl's copy, which
// do not count.
func TestWhatFitsIsKeptWhole(t *testing.T) {
	t.Parallel()
	for name, what := range ways {
		for _, bytes := range []int{0, 10_000, v1alpha1.MaxApplicationSize - 4000} {
			t.Run(fmt.Sprint(name, " of ", bytes), func(t *testing.T) {
				t.Parallel()
				app := large(bytes, what)
				want := app.DeepCopy()
				want.ManagedFields = nil
				app.Annotations[lastApplied] = strings.Repeat("x", 200_000)
				if diff := cmp.Diff(want, transform(t, app)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestStubKnowsItsTemplate: the stub of an application that only its metadata makes too large has the template of its
// run.
func TestStubKnowsItsTemplate(t *testing.T) {
	t.Parallel()
	app := large(1_000_000, ways["an annotation"])
	hash, err := templatehash.Of(&app.Spec)
	if err != nil {
		t.Fatal(err)
	}
	app.Status.TemplateHash = hash
	edited := app.DeepCopy()
	edited.Spec.Arguments = []string{"8"}
	if !transform(t, app).Stub.SameTemplate || transform(t, edited).Stub.SameTemplate {
		t.Error("it does not tell whether the run template has changed")
	}
}

func transform(t *testing.T, app *v1alpha1.SparkApplication) *v1alpha1.SparkApplication {
	t.Helper()
	kept, err := Object(app)
	if err != nil {
		t.Fatal(err)
	}
	return kept.(*v1alpha1.SparkApplication)
}

// TestNamespaceKeepsOwnAnnotations: other annotations of namespaces are dropped.
func TestNamespaceKeepsOwnAnnotations(t *testing.T) {
	t.Parallel()
	namespace := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "team-a", Labels: map[string]string{"team": "a"},
		Annotations: map[string]string{v1alpha1.DefaultQueueAnnotation: "team-a", "notes": strings.Repeat("x", 200_000)}}}
	kept, err := Object(namespace)
	if err != nil {
		t.Fatal(err)
	}
	want := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "team-a", Labels: map[string]string{"team": "a"},
		Annotations: map[string]string{v1alpha1.DefaultQueueAnnotation: "team-a"}}}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestListsAreReadInPages: no more than one page of unstripped objects is in memory at a time.
func TestListsAreReadInPages(t *testing.T) {
	t.Parallel()
	const all = 3*PageSize + 5
	var asked []metav1.ListOptions
	lw := &cache.ListWatch{ListWithContextFunc: func(_ context.Context, o metav1.ListOptions) (runtime.Object, error) {
		asked = append(asked, o)
		from, _ := strconv.Atoi(o.Continue)
		page := &v1alpha1.SparkApplicationList{}
		page.ResourceVersion = "100"
		for i := from; i < min(from+int(o.Limit), all); i++ {
			app := large(300_000, ways["an argument"])
			app.Name = fmt.Sprintf("app-%d", i)
			page.Items = append(page.Items, *app)
		}
		if next := from + int(o.Limit); next < all {
			page.Continue = strconv.Itoa(next)
		}
		return page, nil
	}}
	got, err := (&paged{ListerWatcherWithContext: lw}).ListWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "0", Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	list := got.(*v1alpha1.SparkApplicationList)
	if len(list.Items) != all || list.ResourceVersion != "100" || list.Continue != "" {
		t.Errorf("%d items, version %q, continue %q", len(list.Items), list.ResourceVersion, list.Continue)
	}
	for i := range list.Items {
		if list.Items[i].Stub == nil || list.Items[i].Name != fmt.Sprintf("app-%d", i) {
			t.Fatalf("item %d is %s, stub %v", i, list.Items[i].Name, list.Items[i].Stub)
		}
	}
	for _, o := range asked {
		if o.Limit != PageSize || o.ResourceVersion != "" {
			t.Errorf("asked for a page of %d from version %q", o.Limit, o.ResourceVersion)
		}
	}
	if len(asked) != 4 {
		t.Errorf("%d pages", len(asked))
	}
}
