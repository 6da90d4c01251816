// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestUnseenChildren: an application that was created blocks the next one although the cache does not show it, and no longer than it exists:
// one that was deleted before the cache showed it would otherwise block the schedule for ever.
func TestUnseenChildren(t *testing.T) {
	t.Parallel()
	s := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "nightly", UID: "a1"}}
	owned := func(name string, owner *v1alpha1.ScheduledSparkApplication) *v1alpha1.SparkApplication {
		return &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: name, OwnerReferences: []metav1.OwnerReference{
			*metav1.NewControllerRef(owner, v1alpha1.GroupVersion.WithKind(v1alpha1.ScheduledSparkApplicationKind)),
		}}}
	}
	other := s.DeepCopy()
	other.UID = "b2"
	app := owned("nightly-1", s)
	for _, tc := range []struct {
		name         string
		cached, live []client.Object
		// children is how many there are, unseen how many of them the cache has yet to show.
		children, unseen int
	}{
		{"the cache is late", nil, []client.Object{app}, 1, 1},
		{"the cache shows it", []client.Object{app}, []client.Object{app}, 1, 0},
		{"it was deleted before the cache showed it", nil, nil, 0, 0},
		{"another schedule has created one of that name since", nil, []client.Object{owned("nightly-1", other)}, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := &pass{schedule: s, expected: &expectations{created: map[string]bool{"nightly-1": true}}, Reconciler: New(Options{
				Client: clientWith(t, tc.cached...), Live: clientWith(t, tc.live...),
			})}
			children, err := p.children(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(children) != tc.children || len(p.expected.created) != tc.unseen {
				t.Errorf("got %d children, %d of them unseen; want %d and %d", len(children), len(p.expected.created), tc.children, tc.unseen)
			}
		})
	}
}

func clientWith(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	var copies []client.Object
	for _, o := range objects {
		copies = append(copies, o.DeepCopyObject().(client.Object))
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithIndex(&v1alpha1.SparkApplication{}, ownerIndex, ownerOf).WithObjects(copies...).Build()
}
