// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// node is an object of the tree that Argo CD shows.
type node struct {
	Kind, Name, UID string
	ParentRefs      []struct{ Kind, Name string }
	Health          struct{ Status, Message string }
}

// action is something that Argo CD offers to do with an object.
type action struct {
	Name, DisplayName string
	Disabled          bool
}

// ask asks Argo CD's API server about an Application, as its page does: a GET without a body, else a POST.
func ask(t *testing.T, application, path string, body, answer any) {
	t.Helper()
	method, sent := http.MethodGet, io.Reader(http.NoBody)
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		method, sent = http.MethodPost, bytes.NewReader(text)
	}
	address := fmt.Sprintf("http://127.0.0.1:%d/api/v1/applications/%s/%s", settings.ServerPort, application, path)
	request, err := http.NewRequestWithContext(t.Context(), method, address, sent)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s %s (%v)", method, address, response.Status, text, err)
	}
	if err := json.Unmarshal(text, answer); err != nil {
		t.Fatalf("%s %s answers %s: %v", method, address, text, err)
	}
}

// nodes are the objects that the Application shows: those of Git, and what belongs to them.
func (w *world) nodes() []node {
	w.t.Helper()
	var tree struct{ Nodes []node }
	ask(w.t, w.Namespace, "resource-tree", nil, &tree)
	return tree.Nodes
}

// node is the one of a kind and name, or an empty one.
func (w *world) node(kind, name string) node {
	w.t.Helper()
	for _, n := range w.nodes() {
		if n.Kind == kind && n.Name == name {
			return n
		}
	}
	return node{}
}

// actions are those that are offered for an object, by name: whether they can be taken.
func (w *world) actions(kind, name string) map[string]bool {
	w.t.Helper()
	var list struct{ Actions []action }
	query := url.Values{
		"namespace": {w.Namespace}, "resourceName": {name}, "group": {v1alpha1.Group}, "kind": {kind}, "version": {v1alpha1.GroupVersion.Version},
	}
	ask(w.t, w.Namespace, "resource/actions?"+query.Encode(), nil, &list)
	offered := map[string]bool{}
	for _, a := range list.Actions {
		if a.DisplayName == "" {
			w.t.Errorf("action %s has no name to show", a.Name)
		}
		offered[a.Name] = !a.Disabled
	}
	return offered
}

// act takes an action on an object.
func (w *world) act(kind, name, action string) {
	w.t.Helper()
	ask(w.t, w.Namespace, "resource/actions/v2", map[string]string{
		"namespace": w.Namespace, "resourceName": name, "group": v1alpha1.Group, "kind": kind, "version": v1alpha1.GroupVersion.Version, "action": action,
	}, &struct{}{})
}
