// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// Store holds the records of all Spark pods, by application. It is safe for concurrent use.
type Store struct {
	*Cache[*Record]
	// The lock of the cache guards what follows.
	apps map[types.NamespacedName][]*Record
	// failed are the failed executors of the newest attempt of each application that has any. They are kept as long as
	// the application has pods.
	failed map[types.NamespacedName]*failures
	// gone are drivers as they were last seen, until somebody takes them.
	gone map[types.NamespacedName]*Record
}

var _ cache.TransformingStore = (*Store)(nil)

// NewStore returns an empty store that calls changed for each application whose pods change.
func NewStore(changed func(types.NamespacedName)) *Store {
	s := &Store{apps: map[types.NamespacedName][]*Record{}, failed: map[types.NamespacedName]*failures{}, gone: map[types.NamespacedName]*Record{}}
	s.Cache = NewCache(Rules[*Record]{Reduce: RecordOf, Same: same, Index: s.index, Subject: appOf, Changed: changed})
	return s
}

// Of returns the records of all pods that have the name of the application in their label, in no particular order. They
// may belong to an earlier application with that name, so compare AppUID.
func (s *Store) Of(app types.NamespacedName) []*Record {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.apps[app])
}

// TakeGone returns the driver of an application whose pod is gone, as it was last seen, and forgets it; nil if there is
// none. If several are gone, it is the last one.
func (s *Store) TakeGone(app types.NamespacedName) *Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer delete(s.gone, app)
	return s.gone[app]
}

// Applications returns all applications that have a pod.
func (s *Store) Applications() []types.NamespacedName {
	s.mu.RLock()
	defer s.mu.RUnlock()
	names := make([]types.NamespacedName, 0, len(s.apps))
	for name := range s.apps {
		names = append(names, name)
	}
	return names
}

// Len returns the number of records.
func (s *Store) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n := 0
	for _, records := range s.apps {
		n += len(records)
	}
	return n
}

// index files a record under its application, or removes it. The caller holds the lock.
func (s *Store) index(old, now *Record) {
	if old != nil && (now == nil || appOf(old) != appOf(now)) {
		s.drop(old)
	}
	if now != nil {
		s.insert(now)
		s.noteChange(old, now)
	}
}

// insert adds a record to those of its application, or replaces the one with the same name.
func (s *Store) insert(r *Record) {
	app := appOf(r)
	mine := s.apps[app]
	for _, sibling := range mine[max(0, len(mine)-siblings):] {
		if r.share(sibling) {
			break
		}
	}
	if i := slices.IndexFunc(mine, func(known *Record) bool { return known.Name == r.Name }); i >= 0 {
		mine[i] = r
	} else {
		s.apps[app] = append(mine, r)
	}
}

// siblings is the number of latest pods of the application among which a record looks for one with the same origin.
const siblings = 4

// drop removes a record from those of its application.
func (s *Store) drop(known *Record) {
	app := appOf(known)
	if f, lost := failureOfLostPod(known); lost {
		s.remember(known, f)
	}
	if known.Role == Driver {
		s.gone[app] = known
	}
	s.apps[app] = slices.DeleteFunc(s.apps[app], func(r *Record) bool { return r == known })
	if len(s.apps[app]) == 0 {
		delete(s.apps, app)
		delete(s.failed, app)
	}
}

func appOf(r *Record) types.NamespacedName {
	return types.NamespacedName{Namespace: r.Namespace, Name: r.Application}
}

// same reports whether two records of a pod lead to the same decisions.
func same(a, b *Record) bool {
	x, y := *a, *b
	x.Origin, y.Origin = nil, nil
	x.Trouble, y.Trouble = nil, nil
	x.Ended, y.Ended = nil, nil
	x.Version, y.Version = 0, 0
	x.SchedulingGate, y.SchedulingGate = nil, nil
	if x != y || *a.Origin != *b.Origin || *a.Trouble != *b.Trouble || (a.SchedulingGate == nil) != (b.SchedulingGate == nil) {
		return false
	}
	if a.Ended == nil || b.Ended == nil {
		return a.Ended == b.Ended
	}
	return *a.Ended == *b.Ended
}
