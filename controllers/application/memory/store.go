// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/expectations"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/usage/meter"
)

// Store holds one record for each application, by name. It is safe for concurrent use.
type Store struct {
	mu      sync.Mutex
	records map[types.NamespacedName]*Record
	// found holds the attempts that were found (Found) since the last pass over their application.
	found map[types.NamespacedName]foundAttempts
	// orphans holds since when the applications of active pods are gone, by name and uid.
	orphans map[types.NamespacedName]map[string]time.Time
	// ended is the version of the list of unfinished applications that was made at the start; empty before that.
	ended expectations.Version
}

// Record is what is remembered of one application. Passes over one application do not run concurrently, so a pass uses
// the record of its application without a lock. Whatever else adds to it does so through the Store.
type Record struct {
	uid       types.UID
	Writes    Writes
	Plans     Plans
	Sightings Sightings
	Refusals  Refusals
	Kept      Kept
	Usage     Usage
	Warning   Warning
}

// New returns an empty Store.
func New() *Store {
	return &Store{
		records: map[types.NamespacedName]*Record{}, found: map[types.NamespacedName]foundAttempts{},
		orphans: map[types.NamespacedName]map[string]time.Time{},
	}
}

// Of returns the record of an application for a pass over it. It is a new one if the last record was of another
// application with the same name.
func (s *Store) Of(app client.Object) *Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, name := s.of(app), client.ObjectKeyFromObject(app)
	if found, any := s.found[name]; any && found.uid == r.uid {
		for _, attempt := range found.attempts {
			r.Kept.note(attempt)
		}
		delete(s.found, name)
	}
	return r
}

// of is Of for a caller that holds the lock.
func (s *Store) of(app client.Object) *Record {
	name := client.ObjectKeyFromObject(app)
	r := s.records[name]
	if r == nil || r.uid != app.GetUID() {
		r = &Record{uid: app.GetUID()}
		s.records[name] = r
	}
	return r
}

// Forget drops all that is remembered under a name.
func (s *Store) Forget(name types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.records, name)
	delete(s.found, name)
	delete(s.orphans, name)
}

// Observed records that the object exists in this version.
func (s *Store) Observed(app client.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of(app).Writes.Observed(app.GetResourceVersion())
}

// OthersEnded records that, as of this resource version, every application that was not passed to Observed had ended
// and held nothing, or did not exist.
func (s *Store) OthersEnded(version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = expectations.Version(version)
}

// IsStale reports whether this version of an application is older than one that this process knows to exist.
func (s *Store) IsStale(app *v1alpha1.SparkApplication) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.records[client.ObjectKeyFromObject(app)]
	if r == nil || r.uid != app.UID || r.Writes.version == "" {
		// It was not in the list at the start, so in that version it had ended or did not exist.
		ended := app.Status.Times.Finished != nil && app.Status.Grant == nil || len(app.Status.Invalid) > 0
		return !ended && !s.ended.SatisfiedBy(app.ResourceVersion)
	}
	return !r.Writes.version.SatisfiedBy(app.ResourceVersion)
}

// Lost returns the usage that remains to be counted for an application whose end was not observed, because another
// client removed its finalizer. It does nothing if the application with this name has the uid keep.
func (s *Store) Lost(name types.NamespacedName, keep types.UID, now time.Time) meter.Count {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.records[name]; r != nil && r.uid != keep {
		return r.Usage.Gone(now)
	}
	return meter.Count{}
}

// foundAttempts are attempts of an application that an earlier process has created objects for.
type foundAttempts struct {
	uid      types.UID
	attempts []lifecycle.AttemptID
}

// Found records an attempt of an earlier process, for the next pass over its application. It returns false if another
// application is known to have the name now.
func (s *Store) Found(name types.NamespacedName, uid types.UID, attempt lifecycle.AttemptID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, any := s.found[name]
	if r := s.records[name]; r != nil && r.uid != uid || any && found.uid != uid {
		return false
	}
	s.found[name] = foundAttempts{uid, append(found.attempts, attempt)}
	return true
}
