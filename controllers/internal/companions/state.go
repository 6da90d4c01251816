// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package companions

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
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
)

// state is what this process knows of the companions of one application. Reconciles of one application are serialized;
// only the lookup needs the lock.
type state struct {
	// objects that exist, with the fingerprint of what was applied; empty if another process did that.
	objects map[livemeta.Key]string
	// extras reports whether the Service of the attempt may have something of spec.ui.serviceMetadata.
	extras bool
	// done is the last desired state that was fully reconciled, tried the last one attempted.
	done, tried desiredKey
	// failures in a row to reach the state tried, which is not attempted again before notBefore.
	failures  int
	notBefore time.Time
	// exposed is when a way to the web interface was last created.
	exposed time.Time
	// reported is what the last event said.
	reported string
	// address of the web interface of the attempt addressOf.
	address   string
	addressOf attempt
}

// attempt identifies an attempt of an application.
type attempt struct{ run, attempt int64 }

// desiredKey identifies the desired state of the companions of an application by what it follows from. The zero value
// is none.
type desiredKey struct {
	generation    int64
	attempt       attempt
	live, started bool
}

func desiredOf(app *v1alpha1.SparkApplication) desiredKey {
	in := expose.InputOf(app)
	return desiredKey{app.Generation, attempt{in.Run, in.Attempt}, in.Live, in.Started}
}

// exposes reports whether something of the web interface may exist.
func (s *state) exposes() bool {
	kinds := s.kinds()
	return s.extras || kinds[expose.IngressKind.Kind] || kinds[expose.RouteKind.Kind] || s.address != ""
}

// kinds of the objects that exist.
func (s *state) kinds() map[string]bool {
	kinds := map[string]bool{}
	for name := range s.objects {
		kinds[name.Kind.Kind] = true
	}
	return kinds
}

// backoff returns how long to wait before the next attempt; 0 if nothing is left to try.
func (s *state) backoff(problems []problem) time.Duration {
	left := slices.DeleteFunc(slices.Clone(problems), func(p problem) bool { return p.final })
	if len(left) == 0 {
		s.failures = 0
		return 0
	}
	longest := maxPause
	if !slices.ContainsFunc(left, func(p problem) bool { return !p.soon }) {
		longest = maxServicePause
	}
	pause := minPause << min(s.failures, 16)
	s.failures++
	return min(pause, longest)
}

// fingerprint returns a text that shows whether two objects are the same.
func fingerprint(object *unstructured.Unstructured) string {
	text, err := json.Marshal(object.Object) // keys in order
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// stateOf returns what is known of the companions of an application; nil if there is nothing and nothing is wanted.
// What earlier applications of its name had is forgotten: it goes with them.
func (c *Companions) stateOf(app *v1alpha1.SparkApplication, wanted bool) *state {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := client.ObjectKeyFromObject(app)
	s := c.states[name][app.UID]
	if s == nil && wanted {
		s = newState()
	}
	switch {
	case s != nil:
		c.states[name] = map[types.UID]*state{app.UID: s}
	default:
		delete(c.states, name)
	}
	return s
}

func newState() *state { return &state{objects: map[livemeta.Key]string{}} }

// Address returns the address of the web interface of the current attempt, as far as this process has found out; else
// empty.
func (c *Companions) Address(app *v1alpha1.SparkApplication) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.states[client.ObjectKeyFromObject(app)][app.UID]; s != nil && s.addressOf == (attempt{app.Status.Run, app.Status.Attempt}) {
		return s.address
	}
	return ""
}

// Forget drops what is known of the applications of a name.
func (c *Companions) Forget(name types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.states, name)
}

// ListRetryPause is how long a list that failed is not attempted again.
const ListRetryPause = 30 * time.Second

// inventory records whether the objects that earlier processes have created are known.
type inventory struct {
	mu        sync.Mutex
	done      bool
	notBefore time.Time
}

// ExistingKnown reports whether the companions that earlier processes have created are known.
func (c *Companions) ExistingKnown() bool {
	c.existing.mu.Lock()
	defer c.existing.mu.Unlock()
	return c.existing.done
}

// ListExisting lists the companions of all applications once, so that those that an earlier process has created and
// that are no longer wanted are deleted, without a read for every application that uses none.
func (c *Companions) ListExisting(ctx context.Context) error {
	c.existing.mu.Lock()
	defer c.existing.mu.Unlock()
	now := c.Clock.Now()
	if c.existing.done || now.Before(c.existing.notBefore) {
		return nil
	}
	var failed []error
	for _, kind := range expose.Kinds {
		failed = append(failed, livemeta.Each(ctx, c.Live, kind, func(obj *metav1.PartialObjectMetadata) error {
			c.noteExisting(kind, obj)
			if c.Listed != nil {
				c.Listed(obj)
			}
			return nil
		}, client.HasLabels{v1alpha1.ApplicationUIDLabel}))
	}
	err := errors.Join(failed...)
	c.existing.done, c.existing.notBefore = err == nil, now.Add(ListRetryPause)
	return err
}

// noteExisting records an object that was found.
func (c *Companions) noteExisting(kind schema.GroupVersionKind, obj *metav1.PartialObjectMetadata) {
	owner := metav1.GetControllerOfNoCopy(obj)
	if owner == nil || owner.Kind != v1alpha1.SparkApplicationKind {
		return
	}
	_, extras := obj.Annotations[v1alpha1.UIServiceAnnotation]
	if kind == expose.ServiceKind && obj.Name != owner.Name && !extras {
		return // of an attempt, with nothing added
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	name := types.NamespacedName{Namespace: obj.Namespace, Name: owner.Name}
	if c.states[name] == nil {
		c.states[name] = map[types.UID]*state{}
	}
	s := c.states[name][owner.UID]
	if s == nil {
		s = newState()
		c.states[name][owner.UID] = s
	}
	if extras {
		s.extras = true
		return
	}
	if key := (livemeta.Key{Kind: kind, Name: obj.Name}); s.objects[key] == "" {
		s.objects[key] = ""
	}
}
