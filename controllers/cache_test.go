// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"reflect"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestForeignObjectsAreNotCached: the operator's memory does not grow with unrelated Secrets, ConfigMaps and pods.
func TestForeignObjectsAreNotCached(t *testing.T) {
	t.Parallel()
	live := ClientOptions().Cache.DisableFor
	for _, obj := range []client.Object{&corev1.Secret{}, &corev1.ConfigMap{}, &corev1.Service{}, &corev1.Pod{}, &corev1.ServiceAccount{}} {
		if !slices.ContainsFunc(live, func(o client.Object) bool { return reflect.TypeOf(o) == reflect.TypeOf(obj) }) {
			t.Errorf("a read of a %T would cache all of them", obj)
		}
	}
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "git"}}}}
	cached, err := CacheOptions(Scope{}).DefaultTransform(app)
	if err != nil {
		t.Fatal(err)
	}
	if kept := cached.(*v1alpha1.SparkApplication).ManagedFields; len(kept) > 0 {
		t.Errorf("managed fields are cached: %v", kept)
	}
}
