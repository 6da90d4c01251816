// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// passOver returns a pass over an application.
func passOver(r *Reconciler, app *v1alpha1.SparkApplication) *pass {
	return newPass(r, app, r.memory.Of(app))
}

// TestPrelistedUntilSynced: the listed objects are returned until the cache has synced, each time as a copy.
func TestPrelistedUntilSynced(t *testing.T) {
	synced := false
	l, app := NewPrelisted(func() bool { return synced }), &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pi", UID: "a"}}
	name := client.ObjectKeyFromObject(app)
	l.Add(app)
	got := l.get(name)
	if got == nil || got == app || l.CacheSynced() || l.get(types.NamespacedName{Name: "other"}) != nil {
		t.Errorf("listed %v, synced %t", got, l.CacheSynced())
	}
	synced = true
	if !l.CacheSynced() || l.get(name) != nil {
		t.Error("it is kept although the cache has it")
	}
	synced = false
	l.Add(app)
	if !l.CacheSynced() || l.get(name) != nil {
		t.Error("a cache that has synced stays so")
	}
	if l = nil; !l.CacheSynced() {
		t.Error("without a list the cache has synced")
	}
}
