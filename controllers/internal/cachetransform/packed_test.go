// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cachetransform

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/templatehash"
)

// ended is an application whose run has succeeded.
func ended(name string) *v1alpha1.SparkApplication {
	app := large(100, ways["a template"])
	app.Name, app.UID, app.Labels, app.ManagedFields = name, "uid-of-"+app.UID, map[string]string{"team": "a"}, nil
	app.Spec.SparkConf = map[string]string{"spark.sql.shuffle.partitions": "200", "spark.eventLog.enabled": "true"}
	at := metav1.NewTime(time.Unix(1_790_000_000, 0))
	app.Status = v1alpha1.SparkApplicationStatus{
		ObservedGeneration: 3, Run: 2, Attempt: 1, Queue: "team-a", Driver: &v1alpha1.DriverStatus{PodName: name + "-2-1-driver"},
		Times: v1alpha1.ApplicationTimes{Finished: &at, OpenTimes: v1alpha1.OpenTimes{Queued: &at, Started: &at}},
		Attempts: []v1alpha1.AttemptStatus{{Run: 2, Attempt: 1, Outcome: v1alpha1.OutcomeSucceeded, Reason: "Succeeded",
			Message: "driver ended with exit code 0", StartedAt: &at, FinishedAt: &at}},
	}
	for _, kind := range []string{"Ready", "Admitted", "Finished", "Running"} {
		app.Status.Conditions = append(app.Status.Conditions, metav1.Condition{Type: kind, Status: metav1.ConditionTrue,
			ObservedGeneration: 3, LastTransitionTime: at, Reason: "Succeeded", Message: "run 2 succeeded"})
	}
	app.Status.TemplateHash, _ = templatehash.Of(&app.Spec)
	return app
}

// TestPackedIsTheApplication: ended applications are packed, and each unpacked copy equals the application. The
// metadata that the cache reads is not packed.
func TestPackedIsTheApplication(t *testing.T) {
	t.Parallel()
	want := ended("pi")
	kept, err := Kept(want.DeepCopy())
	if err != nil {
		t.Fatal(err)
	}
	packed, is := kept.(*Packed)
	if !is {
		t.Fatalf("it is kept as a %T", kept)
	}
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for range 50 {
				if diff := cmp.Diff(runtime.Object(want), packed.DeepCopyObject()); diff != "" {
					t.Errorf("copy (-want +got):\n%s", diff)
				}
			}
		})
	}
	readers.Wait()
	if same, err := templatehash.Matches(&packed.Application().Spec, want.Status.TemplateHash); err != nil || !same {
		t.Errorf("its run template is another one: %v", err)
	}
	for what, pair := range map[string][2]any{
		"key": {client.ObjectKeyFromObject(want), client.ObjectKeyFromObject(packed)}, "uid": {want.GetUID(), packed.GetUID()},
		"version": {want.GetResourceVersion(), packed.GetResourceVersion()}, "labels": {want.GetLabels(), packed.GetLabels()},
		"annotations": {want.GetAnnotations(), packed.GetAnnotations()}, "finalizers": {want.GetFinalizers(), packed.GetFinalizers()},
	} {
		if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	if again, err := Kept(packed); again != any(packed) || err != nil {
		t.Errorf("packed once more it is %v: %v", again, err)
	}
	if len(IndexUnpacked(packed)) > 0 || len(IndexUnpacked(want)) != 1 {
		t.Error("the index does not tell which are whole")
	}
}

// TestPackedIsSmall: a packed application takes at most a third of the memory.
func TestPackedIsSmall(t *testing.T) {
	t.Parallel()
	kept, err := Kept(ended("pi"))
	if err != nil {
		t.Fatal(err)
	}
	whole, packed := footprint(*ended("pi")), int(reflect.TypeFor[Packed]().Size())+len(kept.(*Packed).text)
	if packed > whole/3 {
		t.Errorf("%d bytes of %d", packed, whole)
	}
}

// TestWhatIsLookedAtIsWhole: only ended applications, which are rarely read, are packed.
func TestWhatIsLookedAtIsWhole(t *testing.T) {
	t.Parallel()
	now := metav1.Now()
	for name, change := range map[string]func(*v1alpha1.SparkApplication){
		"it runs":              func(a *v1alpha1.SparkApplication) { a.Status.Times.Finished = nil },
		"it holds quota":       func(a *v1alpha1.SparkApplication) { a.Status.Grant = &v1alpha1.Grant{Run: 2} },
		"it is being deleted":  func(a *v1alpha1.SparkApplication) { a.DeletionTimestamp = &now },
		"it is suspended":      func(a *v1alpha1.SparkApplication) { a.Status.Conditions[0].Reason = "Suspended" },
		"its spec is refused":  func(a *v1alpha1.SparkApplication) { a.Status.Conditions[0].Reason = v1alpha1.InvalidSpecReason },
		"its stage is unknown": func(a *v1alpha1.SparkApplication) { a.Status.Conditions[0].Reason = "Resting" },
		"it was never seen":    func(a *v1alpha1.SparkApplication) { a.Status.Conditions = nil },
		"its status is broken": func(a *v1alpha1.SparkApplication) { a.Status.Invalid = []string{"times"} },
		"it has companions":    func(a *v1alpha1.SparkApplication) { a.Spec.PodDisruptionBudget = v1alpha1.DisruptionDriver },
		"it is too large":      func(a *v1alpha1.SparkApplication) { a.Spec.Arguments = []string{strings.Repeat("x", 1_000_000)} },
	} {
		app := ended("pi")
		change(app)
		if kept, err := Kept(app); err != nil || reflect.TypeOf(kept) != reflect.TypeFor[*v1alpha1.SparkApplication]() {
			t.Errorf("%s: it is kept as a %T (%v)", name, kept, err)
		}
	}
}

func BenchmarkPack(b *testing.B) {
	app := ended("pi")
	b.Run("pack", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := pack(app); err != nil {
				b.Fatal(err)
			}
		}
	})
	packed, err := pack(app)
	if err != nil {
		b.Fatal(err)
	}
	b.Run(fmt.Sprintf("unpack %d bytes", len(packed.text)), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			packed.Application()
		}
	})
}
