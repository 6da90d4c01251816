// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"context"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/test/gitops/fluxobject"
	"github.com/sparkgate/sparkgate/test/gitops/testbed"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// world is one from whose Git repository Flux installs charts.
type world struct {
	*testbed.World
	t *testing.T
}

type files = testbed.Files

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: testbed.NewWorld(t, ""), t: t}
	controllers.Use(t)
	return w
}

// create creates an object of Flux. The test's end deletes it, and leaves what it has installed.
func (w *world) create(text string) {
	w.t.Helper()
	obj := &unstructured.Unstructured{}
	if err := yaml.UnmarshalStrict([]byte(text), &obj.Object); err != nil {
		w.t.Fatal(err)
	}
	harness.Create(w.t, obj)
	w.t.Cleanup(func() {
		if w.t.Failed() && env.Client().Get(context.Background(), client.ObjectKeyFromObject(obj), obj) == nil {
			w.t.Logf("%s %s: %v", obj.GetKind(), obj.GetName(), obj.Object["status"])
		}
		if err := fluxobject.Leave(context.Background(), env.Client(), obj); err != nil {
			w.t.Error(err)
		}
	})
}

// push pushes files and has Flux fetch them for a repository, as its webhook receiver would.
func (w *world) push(content files, namespace, repository string) {
	w.t.Helper()
	w.Git.Push(content)
	if _, err := fluxobject.Request(w.t.Context(), env.Client(), fluxobject.Named("GitRepository", namespace, repository)); err != nil {
		w.t.Fatal(err)
	}
}

// release is what a HelmRelease says, beside Ready.
type release struct {
	Ready   *metav1.Condition
	History []struct {
		Version int    `json:"version"`
		Status  string `json:"status"`
	} `json:"history"`
}

// version is one of a HelmRelease, the last one that was installed.
type version struct {
	namespace, name string
	number          int // from 1; 0 is none
}

// becomes waits until a version of a HelmRelease is as given: Ready with a reason and a message that has these parts.
func (w *world) becomes(v version, status metav1.ConditionStatus, reason string, parts ...string) {
	w.t.Helper()
	env.UntilSeen(w.t, fmt.Sprintf("%+v is %s/%s %q", v, status, reason, parts), func() (bool, release) {
		var r release
		var err error
		if r.Ready, err = fluxobject.Read(w.t.Context(), env.Client(), fluxobject.Named("HelmRelease", v.namespace, v.name), &r); err != nil {
			w.t.Fatal(err)
		}
		number := 0
		if len(r.History) > 0 {
			number = r.History[0].Version
		}
		if r.Ready == nil || r.Ready.Status != status || r.Ready.Reason != reason || number != v.number {
			return false, r
		}
		for _, part := range parts {
			if !strings.Contains(r.Ready.Message, part) {
				return false, r
			}
		}
		return true, r
	})
}
