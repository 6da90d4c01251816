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

// state is what this process knows of the companions of one application. Reconciles of one application are serialized.
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
	// address of the web interface of the attempt addressOf; written under the lock of states.
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

// The pause before what failed is tried again doubles from the first to the longest.
const (
	minPause = time.Second
	maxPause = 5 * time.Minute
	// While the Service of the attempt is not there, which comes with the driver.
	minServicePause = 100 * time.Millisecond
	maxServicePause = 10 * time.Second
)

// backoff returns how long to wait before the next attempt; 0 if nothing is left to try.
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

// fingerprint returns a text that shows whether two objects are the same.
func fingerprint(object *unstructured.Unstructured) string {
	text, err := json.Marshal(object.Object) // keys in order
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// newState returns the state of an application of which nothing is known.
func newState() *state { return &state{objects: map[livemeta.Key]string{}} }

// states are those of the applications that have companions, or may have some. They are safe for concurrent use; what a
// state holds belongs to the reconcile of its application, but for the address.
type states struct {
	mu sync.Mutex
	// known are the states by name and uid.
	known map[types.NamespacedName]map[types.UID]*state
	// found are objects that an earlier process has created, until the next reconcile of their application.
	found map[types.NamespacedName]map[types.UID]*inventory
}

// inventory is what was found of the companions of an application.
type inventory struct {
	objects []livemeta.Key
	// extras reports whether the Service of the attempt has something of spec.ui.serviceMetadata.
	extras bool
}

func newStates() *states {
	return &states{known: map[types.NamespacedName]map[types.UID]*state{}, found: map[types.NamespacedName]map[types.UID]*inventory{}}
}

// of returns the state of an application with what was found of it; nil if there is nothing and nothing is wanted. What
// earlier applications of its name had is forgotten: it goes with them.
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

// merge adds what was found to what is known.
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

// find records an object that an earlier process has created. It returns the name of its application, and false if it is
// not a companion, or none of which anything has to be known.
func (st *states) find(kind schema.GroupVersionKind, obj *metav1.PartialObjectMetadata) (types.NamespacedName, bool) {
	owner := metav1.GetControllerOfNoCopy(obj)
	_, extras := obj.Annotations[v1alpha1.UIServiceAnnotation]
	switch {
	case owner == nil, owner.Kind != v1alpha1.SparkApplicationKind, !slices.Contains(expose.Kinds, kind):
		return types.NamespacedName{}, false
	case kind == expose.ServiceKind && obj.Name != owner.Name && !extras:
		return types.NamespacedName{}, false // of an attempt, with nothing added
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

// knows reports whether applications of a name have companions, or may have some.
func (st *states) knows(name types.NamespacedName) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return len(st.known[name]) > 0 || len(st.found[name]) > 0
}

// forget drops what is known of the applications of a name.
func (st *states) forget(name types.NamespacedName) {
	st.mu.Lock()
	defer st.mu.Unlock()
	delete(st.known, name)
	delete(st.found, name)
}

// addressOf returns the address of the web interface of the current attempt, as far as it is known; else empty.
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
