// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package objectstore

import (
	"encoding/base64"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// recorded are the kinds that a run leaves something in, with Secrets as the last: there the keys have to be.
var recorded = []schema.GroupVersionKind{
	{Version: "v1", Kind: "Pod"},
	{Version: "v1", Kind: "ConfigMap"},
	{Version: "v1", Kind: "Service"},
	{Version: "v1", Kind: "Event"},
	{Group: "events.k8s.io", Version: "v1", Kind: "Event"},
	{Group: "sparkgate.io", Version: "v1alpha1", Kind: "SparkApplication"},
	{Version: "v1", Kind: "Secret"},
}

// record has every version of the objects of a namespace, as JSON.
type record struct {
	mu    sync.Mutex
	texts map[string]string // by kind and name
}

// recordAll records everything that happens in a namespace from now on.
func recordAll(t *testing.T, namespace string) *record {
	t.Helper()
	r := &record{texts: map[string]string{}}
	for _, kind := range recorded {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind)
		w, err := env.Client().Watch(t.Context(), list, client.InNamespace(namespace))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Stop)
		go r.follow(w)
	}
	return r
}

func (r *record) follow(w watch.Interface) {
	for event := range w.ResultChan() {
		object, ok := event.Object.(*unstructured.Unstructured)
		if !ok {
			continue // the end of the watch
		}
		text, err := object.MarshalJSON()
		if err != nil {
			text = []byte(err.Error())
		}
		r.mu.Lock()
		r.texts[object.GetKind()+"/"+object.GetName()] += string(text)
		r.mu.Unlock()
	}
}

// objects returns the objects of a kind in any of whose versions a text occurs, as it is or in base64; all kinds but
// Secrets if kind is empty.
func (r *record) objects(kind, text string) (found []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	encoded := base64.StdEncoding.EncodeToString([]byte(text))
	for name, versions := range r.texts {
		of, _, _ := strings.Cut(name, "/")
		if of != kind && (kind != "" || of == "Secret") {
			continue
		}
		if strings.Contains(versions, text) || strings.Contains(versions, encoded) {
			found = append(found, name)
		}
	}
	return found
}

// hidesKeys checks that the keys of the store are where they belong and nowhere else: in the Secret of the user, and in
// no other object of the namespace, no log of the operator and no log of these drivers.
func (s *tenant) hidesKeys(drivers ...string) {
	s.t.Helper()
	logs := map[string]string{"the operator": s.Kubectl("logs", "--namespace=sparkgate-system", "deployment/sparkgate", "--tail=-1")}
	for _, driver := range drivers {
		logs[driver] = s.Kubectl("logs", driver, "--tail=-1")
	}
	if found := s.seen.objects("", s.store.URL); len(found) < 2 {
		s.t.Errorf("the record shows the address of the store only in %v", found)
	}
	for _, key := range []string{s.store.AccessKey, s.store.SecretKey} {
		if found := s.seen.objects("Secret", key); len(found) == 0 {
			s.t.Error("the record shows a key in no Secret, where it has to be")
		}
		if found := s.seen.objects("", key); len(found) != 0 {
			s.t.Errorf("a key is in %v", found)
		}
		for of, log := range logs {
			if log == "" || strings.Contains(log, key) {
				s.t.Errorf("the log of %s has a key, or nothing (%d bytes)", of, len(log))
			}
		}
	}
}
