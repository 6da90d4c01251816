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
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/systems"
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

// user is a user of Argo CD's API server.
type user struct {
	t     *testing.T
	token string
}

// call asks the API server, as its page does: a GET without a body, else a POST. It returns the status, and reads the answer where it is one.
func (u user) call(path string, body, answer any) (status int) {
	u.t.Helper()
	method, sent := http.MethodGet, io.Reader(http.NoBody)
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			u.t.Fatal(err)
		}
		method, sent = http.MethodPost, bytes.NewReader(text)
	}
	address := fmt.Sprintf("http://127.0.0.1:%d/api/v1/%s", settings.ServerPort, path)
	request, err := http.NewRequestWithContext(u.t.Context(), method, address, sent)
	if err != nil {
		u.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+u.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		u.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		u.t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		u.t.Logf("%s %s: %s %s", method, address, response.Status, text)
	} else if err := json.Unmarshal(text, answer); err != nil {
		u.t.Fatalf("%s %s answers %s: %v", method, address, text, err)
	}
	return response.StatusCode
}

// must is call for what has to work.
func (u user) must(path string, body, answer any) {
	u.t.Helper()
	if status := u.call(path, body, answer); status != http.StatusOK {
		u.t.Fatalf("%s: %d", path, status)
	}
}

// act takes an action on an object of a world, and returns the status.
func (u user) act(w *world, obj object, action string) (status int) {
	u.t.Helper()
	return u.call("applications/"+w.Namespace+"/resource/actions/v2", map[string]string{
		"namespace": w.Namespace, "resourceName": obj.name, "group": v1alpha1.Group, "kind": obj.kind, "version": v1alpha1.GroupVersion.Version,
		"action": action,
	}, &struct{}{})
}

// object is one of ours.
type object struct{ kind, name string }

// session is that of admin.
var session struct {
	sync.Mutex
	token string
}

// admin logs in with the password that Argo CD has made at its first start.
func admin(t *testing.T) user {
	t.Helper()
	session.Lock()
	defer session.Unlock()
	if session.token == "" {
		secret := &corev1.Secret{}
		key := types.NamespacedName{Namespace: systems.ArgoCDNamespace, Name: "argocd-initial-admin-secret"}
		if err := env.Client().Get(t.Context(), key, secret); err != nil {
			t.Fatal(err)
		}
		var answer struct{ Token string }
		user{t: t}.must("session", map[string]string{"username": "admin", "password": string(secret.Data["password"])}, &answer)
		session.token = answer.Token
	}
	return user{t: t, token: session.token}
}

// nodes returns the objects that the Application shows: those of Git, and what belongs to them.
func (w *world) nodes() []node {
	w.t.Helper()
	var tree struct{ Nodes []node }
	admin(w.t).must("applications/"+w.Namespace+"/resource-tree", nil, &tree)
	return tree.Nodes
}

// node returns the one of a kind and name, or an empty one.
func (w *world) node(kind, name string) node {
	w.t.Helper()
	for _, n := range w.nodes() {
		if n.Kind == kind && n.Name == name {
			return n
		}
	}
	return node{}
}

// actions returns those that are offered for an object, by name: whether they can be taken.
func (w *world) actions(kind, name string) map[string]bool {
	w.t.Helper()
	var list struct{ Actions []action }
	query := url.Values{
		"namespace": {w.Namespace}, "resourceName": {name}, "group": {v1alpha1.Group}, "kind": {kind}, "version": {v1alpha1.GroupVersion.Version},
	}
	admin(w.t).must("applications/"+w.Namespace+"/resource/actions?"+query.Encode(), nil, &list)
	offered := map[string]bool{}
	for _, a := range list.Actions {
		if a.DisplayName == "" {
			w.t.Errorf("action %s has no name to show", a.Name)
		}
		offered[a.Name] = !a.Disabled
	}
	return offered
}

// act takes an action on an object, as admin.
func (w *world) act(kind, name, action string) {
	w.t.Helper()
	if status := admin(w.t).act(w, object{kind, name}, action); status != http.StatusOK {
		w.t.Fatalf("%s of %s: %d", action, name, status)
	}
}
