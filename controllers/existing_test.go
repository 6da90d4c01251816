// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// lists is an API server that has one object of each kind, and cannot list those of failing.
type lists struct {
	client.Reader
	failing string
	// listed counts the lists by kind.
	listed map[string]int
}

func (l lists) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	page := list.(*metav1.PartialObjectMetadataList)
	l.listed[page.Kind]++
	if page.Kind == l.failing {
		return errors.New("try again")
	}
	page.Items = []metav1.PartialObjectMetadata{{ObjectMeta: metav1.ObjectMeta{Name: "a"}}}
	return nil
}

// TestExistingObjects: each kind is shown once, also if another one can be listed only later.
func TestExistingObjects(t *testing.T) {
	t.Parallel()
	live, seen := lists{failing: "BList", listed: map[string]int{}}, map[string]int{}
	e := &existingObjects{live: live, unseen: map[schema.GroupVersionKind]func(*metav1.PartialObjectMetadata){}}
	for _, kind := range []string{"A", "B"} {
		e.unseen[schema.GroupVersionKind{Kind: kind}] = func(obj *metav1.PartialObjectMetadata) { seen[kind+" "+obj.Name]++ }
	}
	if err := e.list(t.Context()); err == nil {
		t.Error("no error although a kind cannot be listed")
	}
	live.failing = ""
	e.live = live
	if err := e.list(t.Context()); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]int{"A a": 1, "B a": 1}, seen); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"AList": 1, "BList": 2}, live.listed); diff != "" {
		t.Errorf("lists (-want +got):\n%s", diff)
	}
}
