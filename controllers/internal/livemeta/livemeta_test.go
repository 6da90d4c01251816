// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package livemeta

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// TestEachReadsSmallPages: labels alone may make an object as large as etcd allows, so a page has only as many objects
// as fit into the operator's memory.
func TestEachReadsSmallPages(t *testing.T) {
	t.Parallel()
	const many, most = 1000, 100
	live := interceptor.NewClient(fake.NewFakeClient(), interceptor.Funcs{
		List: func(_ context.Context, _ client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			o := (&client.ListOptions{}).ApplyOptions(opts)
			if o.Limit == 0 || o.Limit > most {
				t.Errorf("asked for %d objects at once", o.Limit)
			}
			from, _ := strconv.Atoi(o.Continue)
			page := list.(*metav1.PartialObjectMetadataList)
			for i := from; i < min(from+int(o.Limit), many); i++ {
				page.Items = append(page.Items, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint(i)}})
			}
			if next := from + int(o.Limit); next < many {
				page.Continue = strconv.Itoa(next)
			}
			return nil
		},
	})
	seen := map[string]bool{}
	err := Each(t.Context(), live, corev1.SchemeGroupVersion.WithKind("ConfigMap"), func(obj *metav1.PartialObjectMetadata) error {
		seen[obj.Name] = true
		return nil
	})
	if err != nil || len(seen) != many {
		t.Errorf("%d were seen, %v", len(seen), err)
	}
}
