// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/queueing"
)

// TestOwnersOfPodsAreFound: ended applications are not listed. Those that active pods name in their labels are read one
// by one if they are few, and otherwise with one list.
func TestOwnersOfPodsAreFound(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ invented, gets, lists int }{
		"a few":   {invented: 3, gets: 4},
		"a crowd": {invented: fewOwners, lists: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scheme, err := NewScheme()
			if err != nil {
				t.Fatal(err)
			}
			gets, lists := 0, 0
			live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme).WithObjects(
				&v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "ended", UID: "uid-of-ended"}}).Build(),
				interceptor.Funcs{
					Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, o ...client.GetOption) error {
						gets++
						return c.Get(ctx, key, obj, o...)
					},
					List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, o ...client.ListOption) error {
						lists++
						return c.List(ctx, list, o...)
					},
				})
			store := pods.NewStore(func(types.NamespacedName) {})
			names := []string{"running", "ended"}
			for i := range tc.invented {
				names = append(names, fmt.Sprintf("invented-%d", i))
			}
			for _, name := range names {
				if err := store.Add(driverOf(name)); err != nil {
					t.Fatal(err)
				}
			}
			key := func(name string) queueing.Key {
				return queueing.Key{Kind: v1alpha1.SparkApplicationKind, Namespace: "default", Name: name, UID: "uid-of-" + name}
			}
			found := restoredState{alive: map[queueing.Key]bool{key("running"): true}}
			if err := found.findOwners(t.Context(), live, nil, store); err != nil {
				t.Fatal(err)
			}
			alive := slices.SortedFunc(maps.Keys(found.alive), func(a, b queueing.Key) int { return len(a.Name) - len(b.Name) })
			if diff := cmp.Diff([]queueing.Key{key("ended"), key("running")}, alive); diff != "" {
				t.Errorf("alive (-want +got):\n%s", diff)
			}
			if gets != tc.gets || lists != tc.lists {
				t.Errorf("%d reads and %d lists, want %d and %d", gets, lists, tc.gets, tc.lists)
			}
		})
	}
}

// driverOf returns a running driver with the labels of an application.
func driverOf(app string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: app + "-1-1-driver", UID: types.UID("pod-" + app), ResourceVersion: "1", Labels: map[string]string{
			v1alpha1.ApplicationLabel: app, v1alpha1.ApplicationUIDLabel: "uid-of-" + app, v1alpha1.SparkRoleLabel: v1alpha1.SparkRoleDriver,
			v1alpha1.RunLabel: "1", v1alpha1.AttemptLabel: "1",
		}},
		Spec: corev1.PodSpec{NodeName: "node"}, Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
}
