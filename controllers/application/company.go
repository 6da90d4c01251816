// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
)

// company is what this process knows of the objects that accompany one application. Passes of an application follow each other, so that
// only the way to it needs a lock.
type company struct {
	// objects that exist, with the fingerprint of what was applied; empty if another process did that.
	objects map[made]string
	// extras says that the Service of the attempt may have something of spec.ui.serviceMetadata.
	extras bool
	// done is the scene that all was brought in line with, tried the last that was tried.
	done, tried sceneKey
	// failures in a row in the scene tried, which is not tried again before notBefore.
	failures  int
	notBefore time.Time
	// exposed is when a way to the web interface was made last.
	exposed time.Time
	// told is what the last event said.
	told string
	// address of the web interface of the attempt addressOf.
	address   string
	addressOf attempt
}

// made is one object that accompanies an application, in its namespace.
type made struct {
	kind schema.GroupVersionKind
	name string
}

// metadata stands for the object in reads and deletions.
func (m made) metadata(namespace string) *metav1.PartialObjectMetadata {
	obj := &metav1.PartialObjectMetadata{}
	obj.SetGroupVersionKind(m.kind)
	obj.Namespace, obj.Name = namespace, m.name
	return obj
}

// sceneKey is what the companions of an application follow from, in short. The zero value is none.
type sceneKey struct {
	generation    int64
	attempt       attempt
	live, started bool
}

func sceneOf(app *v1alpha1.SparkApplication) sceneKey {
	in := expose.InputOf(app)
	return sceneKey{app.Generation, attempt{in.Run, in.Attempt}, in.Live, in.Started}
}

// exposes says that something of the web interface may exist.
func (c *company) exposes() bool {
	kinds := c.kinds()
	return c.extras || kinds[expose.IngressKind.Kind] || kinds[expose.RouteKind.Kind] || c.address != ""
}

// kinds of the objects that exist.
func (c *company) kinds() map[string]bool {
	kinds := map[string]bool{}
	for name := range c.objects {
		kinds[name.kind.Kind] = true
	}
	return kinds
}

// pause is how long to wait before the next try; 0 if nothing is left to try.
func (c *company) pause(problems []problem) time.Duration {
	left := slices.DeleteFunc(slices.Clone(problems), func(p problem) bool { return p.final })
	if len(left) == 0 {
		c.failures = 0
		return 0
	}
	longest := longestCompanionPause
	if !slices.ContainsFunc(left, func(p problem) bool { return !p.soon }) {
		longest = servicePause
	}
	pause := companionPause << min(c.failures, 16)
	c.failures++
	return min(pause, longest)
}

// fingerprint tells whether two objects are the same.
func fingerprint(object *unstructured.Unstructured) string {
	text, err := json.Marshal(object.Object) // keys in order
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// company is what is known of the companions of an application; nil if there is nothing and nothing is wanted.
func (m *Memory) company(app *v1alpha1.SparkApplication, wanted bool) *company {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.of(app)
	if r.company == nil && wanted {
		r.company = &company{objects: map[made]string{}}
	}
	return r.company
}

// uiAddress is the address of the web interface of an attempt, as far as this process has found out; else empty.
func (m *Memory) uiAddress(app *v1alpha1.SparkApplication) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.of(app).company; c != nil && c.addressOf == (attempt{app.Status.Run, app.Status.Attempt}) {
		return c.address
	}
	return ""
}

// recallPause is how long a list that failed is not tried again.
const recallPause = 30 * time.Second

// recollection says whether what an earlier process has left is known.
type recollection struct {
	mu    sync.Mutex
	done  bool
	again time.Time
}

// complete reports whether all is known.
func (r *recollection) complete() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.done
}

// recall lists once what accompanies all applications, so that what an earlier process has made and is wanted no more goes, without a read
// for every application that uses none of it.
func (m *Memory) recall(ctx context.Context, live client.Reader, now time.Time) error {
	m.recalled.mu.Lock()
	defer m.recalled.mu.Unlock()
	if m.recalled.done || now.Before(m.recalled.again) {
		return nil
	}
	var failed []error
	for _, kind := range expose.Kinds {
		failed = append(failed, eachOf(ctx, live, kind, func(obj *metav1.PartialObjectMetadata) error {
			m.remind(kind, obj)
			m.suspect(obj)
			return nil
		}, client.HasLabels{v1alpha1.ApplicationUIDLabel}))
	}
	err := errors.Join(failed...)
	m.recalled.done, m.recalled.again = err == nil, now.Add(recallPause)
	return err
}

// remind notes an object that was found.
func (m *Memory) remind(kind schema.GroupVersionKind, obj *metav1.PartialObjectMetadata) {
	owner := metav1.GetControllerOfNoCopy(obj)
	if owner == nil || owner.Kind != v1alpha1.SparkApplicationKind {
		return
	}
	_, extras := obj.Annotations[v1alpha1.UIServiceAnnotation]
	if kind == expose.ServiceKind && obj.Name != owner.Name && !extras {
		return // of an attempt, with nothing added
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := types.NamespacedName{Namespace: obj.Namespace, Name: owner.Name}
	r := m.apps[key]
	switch {
	case r == nil:
		r = &remembered{uid: owner.UID}
		m.apps[key] = r
	case r.uid != owner.UID:
		return // of one before it, with which it goes
	}
	if r.company == nil {
		r.company = &company{objects: map[made]string{}}
	}
	if extras {
		r.company.extras = true
		return
	}
	if name := (made{kind, obj.Name}); r.company.objects[name] == "" {
		r.company.objects[name] = ""
	}
}
