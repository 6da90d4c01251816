// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package companions

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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

// state is what this process knows about the companions of one application. Reconciles of one application are
// serialized.
type state struct {
	// objects are the existing companions, with the fingerprint of what was applied, which is empty if another process
	// did that.
	objects map[livemeta.Key]string
	// extras is true if the Service of the attempt may have metadata from spec.ui.serviceMetadata.
	extras bool
	// done is the last desired state that was fully reconciled, and tried the last one that was tried.
	done, tried desiredKey
	// failures counts the failures in a row to reach the state tried. It is not tried again before notBefore.
	failures  int
	notBefore time.Time
	// exposed is when an Ingress or route was last created.
	exposed time.Time
	// reported is the text of the last event.
	reported string
	// address is the address of the web interface of the attempt addressOf. It is written under the lock of states.
	address   string
	addressOf attempt
}

// attempt identifies an attempt of an application.
type attempt struct{ run, attempt int64 }

// desiredKey identifies the desired state of the companions of an application by what determines it. The zero value
// stands for no state.
type desiredKey struct {
	generation    int64
	attempt       attempt
	live, started bool
}

func desiredOf(app *v1alpha1.SparkApplication) desiredKey {
	in := expose.InputOf(app)
	return desiredKey{app.Generation, attempt{in.Run, in.Attempt}, in.Live, in.Started}
}

// exposes reports whether anything that exposes the web interface may exist.
func (s *state) exposes() bool {
	kinds := s.kinds()
	return s.extras || kinds[expose.IngressKind.Kind] || kinds[expose.RouteKind.Kind] || s.address != ""
}

// kinds returns the kinds of the existing objects.
func (s *state) kinds() map[string]bool {
	kinds := map[string]bool{}
	for name := range s.objects {
		kinds[name.Kind.Kind] = true
	}
	return kinds
}

// Bounds of the pause before a retry, which doubles each time.
const (
	minPause = time.Second
	maxPause = 5 * time.Minute
	// Bounds while the Service of the attempt, which comes with the driver, does not exist yet.
	minServicePause = 100 * time.Millisecond
	maxServicePause = 10 * time.Second
)

// backoff returns the pause before the next try, or 0 if nothing is left to try.
func (s *state) backoff(problems []problem) time.Duration {
	left := slices.DeleteFunc(slices.Clone(problems), func(p problem) bool { return p.final })
	if len(left) == 0 {
		s.failures = 0
		return 0
	}
	shortest, longest := minPause, maxPause
	if !slices.ContainsFunc(left, func(p problem) bool { return !p.soon }) {
		shortest, longest = minServicePause, maxServicePause
	}
	for _, p := range left {
		shortest = max(shortest, p.atLeast)
	}
	pause := shortest << min(s.failures, 16)
	s.failures++
	return min(pause, longest)
}

// fingerprint returns a text that is equal for equal objects.
func fingerprint(object *unstructured.Unstructured) string {
	text, err := json.Marshal(object.Object) // JSON keys are sorted
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// newState returns an empty state.
func newState() *state { return &state{objects: map[livemeta.Key]string{}} }

// states holds the states of the applications that have companions or may have some. It is safe for concurrent use. The
// content of a state, except for the address, belongs to the reconcile of its application.
type states struct {
	mu sync.Mutex
	// known holds the states by name and uid.
	known map[types.NamespacedName]map[types.UID]*state
	// found holds objects created by an earlier process, until the next reconcile of their application.
	found map[types.NamespacedName]map[types.UID]*inventory
}

// inventory is what was found of the companions of an application.
type inventory struct {
	objects []livemeta.Key
	// extras is true if the Service of the attempt has metadata from spec.ui.serviceMetadata.
	extras bool
}

func newStates() *states {
	return &states{known: map[types.NamespacedName]map[types.UID]*state{}, found: map[types.NamespacedName]map[types.UID]*inventory{}}
}

// of returns the state of an application, including what was found, or nil if there is nothing and nothing is wanted.
// States of earlier applications with its name are dropped, because their companions are deleted with them.
func (st *states) of(app *v1alpha1.SparkApplication, wanted bool) *state {
	st.mu.Lock()
	defer st.mu.Unlock()
	name := client.ObjectKeyFromObject(app)
	s, found := st.known[name][app.UID], st.found[name][app.UID]
	delete(st.found, name)
	if s == nil && (wanted || found != nil) {
		s = newState()
	}
	if s == nil {
		delete(st.known, name)
		return nil
	}
	s.merge(found)
	st.known[name] = map[types.UID]*state{app.UID: s}
	return s
}

// merge adds what was found to the state.
func (s *state) merge(found *inventory) {
	if found == nil {
		return
	}
	s.extras = s.extras || found.extras
	for _, key := range found.objects {
		if _, known := s.objects[key]; !known {
			s.objects[key] = ""
		}
	}
	s.done, s.tried = desiredKey{}, desiredKey{}
}

// find records an object created by an earlier process. It returns the name of its application, or false if the object
// is not a companion that must be known.
func (st *states) find(kind schema.GroupVersionKind, obj *metav1.PartialObjectMetadata) (types.NamespacedName, bool) {
	owner := metav1.GetControllerOfNoCopy(obj)
	_, extras := obj.Annotations[v1alpha1.UIServiceAnnotation]
	switch {
	case owner == nil, owner.Kind != v1alpha1.SparkApplicationKind, !slices.Contains(expose.Kinds, kind):
		return types.NamespacedName{}, false
	case (kind == expose.ServiceKind || kind == expose.PolicyKind) && obj.Name != owner.Name && !extras:
		return types.NamespacedName{}, false // of an attempt, without added metadata
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	name := types.NamespacedName{Namespace: obj.Namespace, Name: owner.Name}
	if st.found[name] == nil {
		st.found[name] = map[types.UID]*inventory{}
	}
	i := st.found[name][owner.UID]
	if i == nil {
		i = &inventory{}
		st.found[name][owner.UID] = i
	}
	if i.extras = i.extras || extras; !extras {
		i.objects = append(i.objects, livemeta.Key{Kind: kind, Name: obj.Name})
	}
	return name, true
}

// knows reports whether applications with this name have companions, or may have some.
func (st *states) knows(name types.NamespacedName) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return len(st.known[name]) > 0 || len(st.found[name]) > 0
}

// forget drops what is known about the applications with this name.
func (st *states) forget(name types.NamespacedName) {
	st.mu.Lock()
	defer st.mu.Unlock()
	delete(st.known, name)
	delete(st.found, name)
}

// addressOf returns the address of the web interface of the current attempt, or the empty string if it is unknown.
func (st *states) addressOf(app *v1alpha1.SparkApplication) string {
	st.mu.Lock()
	defer st.mu.Unlock()
	if s := st.known[client.ObjectKeyFromObject(app)][app.UID]; s != nil && s.addressOf == (attempt{app.Status.Run, app.Status.Attempt}) {
		return s.address
	}
	return ""
}

// setAddress sets the address of the web interface of an attempt.
func (st *states) setAddress(s *state, of attempt, address string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	s.addressOf, s.address = of, address
}
