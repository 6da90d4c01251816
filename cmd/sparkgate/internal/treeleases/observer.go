// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package treeleases

import (
	"slices"
	"strings"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/cmd/sparkgate/internal/lease"
)

// observer knows since when each lease is as it is. Clocks of other machines do not count: a lease has expired if it was
// not renewed for as long as it lasts, by this process's clock. Safe for concurrent use.
type observer struct {
	mu     sync.Mutex
	leases map[string]observed
	// missing are the leases of trees that do not exist yet, and since when.
	missing map[string]time.Time
}

// observed is a lease, and since when it is like that.
type observed struct {
	holder   string
	renewed  time.Time
	duration time.Duration
	since    time.Time
}

func newObserver() *observer {
	return &observer{leases: map[string]observed{}, missing: map[string]time.Time{}}
}

// see takes in all leases as they are now.
func (o *observer) see(items []coordinationv1.Lease, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := make(map[string]observed, len(items))
	for i := range items {
		spec := &items[i].Spec
		l := observed{
			holder: ptr.Deref(spec.HolderIdentity, ""), since: now,
			duration: time.Duration(ptr.Deref(spec.LeaseDurationSeconds, 0)) * time.Second,
		}
		if spec.RenewTime != nil {
			l.renewed = spec.RenewTime.Time
		}
		if known, is := o.leases[items[i].Name]; is && known.holder == l.holder && known.renewed.Equal(l.renewed) {
			l.since = known.since
		}
		all[items[i].Name] = l
	}
	o.leases = all
}

// free returns how long a lease has had no holder.
func (l observed) free(now time.Time) (time.Duration, bool) {
	if l.holder == "" {
		return now.Sub(l.since), true
	}
	over := now.Sub(l.since) - l.duration
	return over, over >= 0
}

// expired reports whether a record is one that was not renewed in time.
func (o *observer) expired(name string, record resourcelock.LeaderElectionRecord, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	l, known := o.leases[name]
	_, free := l.free(now)
	return known && free && l.holder == record.HolderIdentity && l.renewed.Equal(record.RenewTime.Time)
}

// view returns what is known of the leases of trees.
func (o *observer) view(self string, trees []string, now time.Time) view {
	o.mu.Lock()
	defer o.mu.Unlock()
	v := view{self: self, trees: trees, held: map[string]bool{}, free: map[string]time.Duration{}}
	replicas := map[string]bool{}
	for name, l := range o.leases {
		if strings.HasPrefix(name, lease.ReplicaPrefix) {
			replicas[l.holder] = true
			if _, free := l.free(now); !free {
				v.replicas++
			}
		}
	}
	for _, tree := range trees {
		l, exists := o.leases[lease.OfTree(tree)]
		if exists {
			delete(o.missing, tree)
		}
		since, free := l.free(now)
		switch {
		case !exists:
			if o.missing[tree].IsZero() {
				o.missing[tree] = now
			}
			v.free[tree] = now.Sub(o.missing[tree])
		case free:
			v.free[tree] = since
		case l.holder != self:
			v.held[tree] = true
		}
	}
	leads := o.leases[lease.OfTree(rest)].holder
	v.blocked = v.held[rest] && !replicas[leads]
	return v
}

// gone returns the leases of replicas that have ended long ago, and those of trees that no longer exist.
func (o *observer) gone(trees []string, now time.Time, after time.Duration) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var names []string
	for name, l := range o.leases {
		tree, ofTree := strings.CutPrefix(name, lease.TreePrefix)
		needless := strings.HasPrefix(name, lease.ReplicaPrefix) || ofTree && !slices.Contains(trees, tree)
		if over, free := l.free(now); needless && free && over > after {
			names = append(names, name)
		}
	}
	return names
}
