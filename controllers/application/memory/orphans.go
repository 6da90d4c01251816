// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// TakeLate removes from active, and returns, the pods of deleted applications that were created after all of that
// application's pods should have ended, unless a driver remains that may have created them. Any user who may create
// pods can give them the labels of a deleted application, which would keep its quota charged as long as they run.
// active holds the pods by the uid of their application; most is how long pods may take to end.
func (s *Store) TakeLate(name types.NamespacedName, active map[string][]*pods.Record, now time.Time, most time.Duration) (late []*pods.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.orphans[name]
	delete(s.orphans, name)
	for uid, records := range active {
		since, seen := known[uid]
		if !seen {
			since = now
		}
		if s.orphans[name] == nil {
			s.orphans[name] = map[string]time.Time{}
		}
		s.orphans[name][uid] = since
		due := since.Add(most)
		hasDriver := slices.ContainsFunc(records, func(r *pods.Record) bool {
			return r.Role == pods.Driver && string(r.OwnerUID) == uid && !r.CreatedAfter(due)
		})
		if hasDriver {
			continue
		}
		for _, r := range records {
			if r.CreatedAfter(due) {
				late = append(late, r)
			}
		}
		if active[uid] = slices.DeleteFunc(records, func(r *pods.Record) bool { return r.CreatedAfter(due) }); len(active[uid]) == 0 {
			delete(active, uid)
		}
	}
	return late
}
