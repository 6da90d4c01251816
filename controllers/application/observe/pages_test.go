// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

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

// TestPodsOfAnApplicationAreReadInPages: a pod that the watch has not shown is found on every page.
func TestPodsOfAnApplicationAreReadInPages(t *testing.T) {
	t.Parallel()
	const many = 2*pods.PageSize + 3
	d := newDriver(t)
	active := -1
	d.Live = pagesOf(t, d.client, many, func(i int) runtime.Object {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: fmt.Sprint("pod-", i), UID: types.UID(fmt.Sprint(i))}}
		if pod.Status.Phase = corev1.PodSucceeded; i == active {
			pod.Status.Phase = corev1.PodRunning
		}
		return pod
	})
	if caughtUp, err := d.watchIsCaughtUp(t.Context(), d.app, d.pods); err != nil || !caughtUp {
		t.Errorf("%t, %v although all have ended", caughtUp, err)
	}
	active = many - 1
	if caughtUp, err := d.watchIsCaughtUp(t.Context(), d.app, d.pods); err == nil || caughtUp {
		t.Errorf("%t, %v although one is active", caughtUp, err)
	}
}
