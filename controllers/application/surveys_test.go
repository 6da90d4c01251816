// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/waker"
	"github.com/sparkgate/sparkgate/internal/spark/leftover"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// deletedBefore returns the i-th application that was being deleted when this process first saw it.
func deletedBefore(r *Reconciler, i int) *v1alpha1.SparkApplication {
	of := leftover.Application{NamespacedName: types.NamespacedName{Namespace: "a", Name: fmt.Sprint("pi-", i)}, UID: types.UID(fmt.Sprint("uid-", i))}
	app := of.Object()
	app.Finalizers, app.DeletionTimestamp = []string{v1alpha1.Finalizer}, &metav1.Time{Time: noon}
	r.deletions.observe(app)
	return app
}

// TestSurveyOfOtherNamespaces: a namespace whose objects cannot be listed holds up no application of another one, whether
// it was deleted before the failure or after it.
func TestSurveyOfOtherNamespaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		y := newYard()
		r := sweeper(y)
		r.Clock = clock.RealClock{}
		y.failing["closed"] = true
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go func() { _ = (&Surveyor{Reconciler: r, Waker: waker.New(), Pauses: r.Clock}).Start(ctx) }()
		for i := range 2 {
			closed, open := deletedBefore(r, 2*i), deletedBefore(r, 2*i+1)
			closed.Namespace = "closed"
			for _, app := range []*v1alpha1.SparkApplication{closed, open} {
				r.surveys.hasOrphans(app)
			}
			r.Clock.Sleep(2 * surveyRetryPause)
			synctest.Wait()
			if _, known := r.surveys.hasOrphans(open); !known {
				t.Error("the question about another namespace has no answer")
			}
			if _, known := r.surveys.hasOrphans(closed); known {
				t.Error("a list that failed is no list")
			}
		}
	})
}

// TestSurvey: of many applications that were being deleted when this process first saw them, those without leftover
// objects go at once, and the leftovers of the others are deleted. This takes no more list requests for many than for
// one, unless one fails.
func TestSurvey(t *testing.T) {
	t.Parallel()
	const many, orphaned = 100, 7
	synctest.Test(t, func(t *testing.T) {
		y := newYard()
		r := sweeper(y)
		r.Clock = clock.RealClock{} // that of the test
		remove := func(app *v1alpha1.SparkApplication) error {
			return newPass(r, app).finalizer.removeFinalizer(t.Context())
		}
		apps := make([]*v1alpha1.SparkApplication, many)
		for i := range apps {
			apps[i] = deletedBefore(r, i)
			name := render.NamesOf(apps[i], 1, 1).ConfigMap
			y.add(leftover.ConfigMapKind, name, func(o *metav1.PartialObjectMetadata) {
				o.Labels = render.LabelsOf(apps[i], 1, 1, "queue")
				if i != orphaned {
					o.OwnerReferences = []metav1.OwnerReference{render.OwnerOf(apps[i])}
				}
			})
			var later *retryLaterError
			if err := remove(apps[i]); !errors.As(err, &later) {
				t.Fatalf("application %d goes before its objects are known: %v", i, err)
			}
		}
		y.failing["Ingress"] = true
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go func() { _ = (&Surveyor{Reconciler: r, Waker: waker.New(), Pauses: r.Clock}).Start(ctx) }()
		synctest.Wait()
		if _, known := r.surveys.hasOrphans(apps[0]); known {
			t.Error("a list that failed is no list")
		}
		y.mu.Lock()
		clear(y.failing)
		y.lists = 0
		y.mu.Unlock()
		r.Clock.Sleep(2 * surveyRetryPause)
		synctest.Wait()
		// One object a page, of the one kind of which there are any.
		if most := many + len(leftover.Listed) + len(r.GateKinds); y.lists > most {
			t.Errorf("%d lists for %d applications; want at most %d", y.lists, many, most)
		}
		y.lists = 0
		for i, app := range apps {
			if err := remove(app); err != nil {
				t.Fatal(err)
			}
			if i != orphaned && y.lists > 0 {
				t.Fatalf("application %d takes %d lists of its own", i, y.lists)
			}
			y.lists = 0
		}
		if left := "ConfigMap " + render.NamesOf(apps[orphaned], 1, 1).ConfigMap; len(y.objects) != many-1 || slices.Contains(y.names(), left) {
			t.Errorf("%d objects are left", len(y.objects))
		}
	})
}
