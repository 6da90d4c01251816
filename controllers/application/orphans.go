// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/internal/pods"
)

// orphans knows since when applications are gone that still have pods. Safe for concurrent use.
type orphans struct {
	mu    sync.Mutex
	since map[types.NamespacedName]map[string]time.Time
}

func newOrphans() *orphans {
	return &orphans{since: map[types.NamespacedName]map[string]time.Time{}}
}

// takeLate takes out of the active pods of applications of a name that are gone, by the uid of the application, those that were created
// after all should have ended, once no driver is left that could have created them: every user who may create pods may give them the labels of
// such an application, which would keep its quota for as long. most is how long the pods may take.
func (o *orphans) takeLate(name types.NamespacedName, active map[string][]*pods.Record, now time.Time, most time.Duration) (late []*pods.Record) {
	o.mu.Lock()
	defer o.mu.Unlock()
	known := o.since[name]
	delete(o.since, name)
	for uid, records := range active {
		since, seen := known[uid]
		if !seen {
			since = now
		}
		if o.since[name] == nil {
			o.since[name] = map[string]time.Time{}
		}
		o.since[name][uid] = since
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

// forget drops what is known of a name.
func (o *orphans) forget(name types.NamespacedName) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.since, name)
}
