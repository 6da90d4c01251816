// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package act

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// pagesOf returns a client whose lists return many objects, in pages of the requested size. Pages are small, because users who
// may create objects with the labels of an application can make them large and many.
func pagesOf(t *testing.T, c client.WithWatch, many int, object func(i int) runtime.Object) client.Reader {
	t.Helper()
	return interceptor.NewClient(c, interceptor.Funcs{
		List: func(_ context.Context, _ client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			o := (&client.ListOptions{}).ApplyOptions(opts)
			if o.Limit == 0 || o.Limit > pods.PageSize {
				t.Errorf("asked for %d objects at once", o.Limit)
				o.Limit = int64(many)
			}
			from, _ := strconv.Atoi(o.Continue)
			var items []runtime.Object
			for i := from; i < min(from+int(o.Limit), many); i++ {
				items = append(items, object(i))
			}
			if next := from + int(o.Limit); next < many {
				list.SetContinue(strconv.Itoa(next))
			}
			return apimeta.SetList(list, items)
		},
	})
}

// TestObjectsOfAnAttemptAreReadInPages: objects of the attempt are deleted on every page, and those of others are not.
func TestObjectsOfAnAttemptAreReadInPages(t *testing.T) {
	t.Parallel()
	const many = 2*pods.PageSize + 3
	var existing []client.Object
	for i := range many {
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: fmt.Sprint("files-", i)}}
		if i != 1 {
			cm.OwnerReferences = []metav1.OwnerReference{{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.SparkApplicationKind, Name: "pi", UID: "pi-uid", Controller: ptr.To(true)}}
		}
		existing = append(existing, cm)
	}
	c := fake.NewClientBuilder().WithObjects(existing...).Build()
	live := pagesOf(t, c, many, func(i int) runtime.Object {
		obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: fmt.Sprint("files-", i)}}
		return obj
	})
	cleaner := &Cleaner{Client: c, Live: live}
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "pi", UID: "pi-uid"}}
	if err := cleaner.deleteLabelled(t.Context(), app, lifecycle.AttemptID{Run: 1, Attempt: 1}, &corev1.ConfigMap{}); err != nil {
		t.Fatal(err)
	}
	left := &corev1.ConfigMapList{}
	if err := c.List(t.Context(), left, client.InNamespace("team")); err != nil {
		t.Fatal(err)
	}
	if len(left.Items) != 1 || left.Items[0].Name != "files-1" {
		t.Errorf("%d are left", len(left.Items))
	}
}
