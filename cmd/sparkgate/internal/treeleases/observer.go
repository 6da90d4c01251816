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

// observer records since when each lease has been unchanged. It does not rely on the clocks of other machines: a lease
// has expired if it was not renewed for its duration, by this process's clock. It is safe for concurrent use.
type observer struct {
	mu     sync.Mutex
	leases map[string]observed
	// missing maps each tree without a lease object to the time since when that is so.
	missing map[string]time.Time
}

// observed is the state of a lease, and since when it has been unchanged.
type observed struct {
	holder   string
	renewed  time.Time
	duration time.Duration
	since    time.Time
}

func newObserver() *observer {
	return &observer{leases: map[string]observed{}, missing: map[string]time.Time{}}
}

// see records the current state of all leases.
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

// free reports whether a lease has no holder or has expired, and for how long.
func (l observed) free(now time.Time) (time.Duration, bool) {
	if l.holder == "" {
		return now.Sub(l.since), true
	}
	over := now.Sub(l.since) - l.duration
	return over, over >= 0
}

// expired reports whether a record, as it was read by the lock, is that of an expired lease.
func (o *observer) expired(name string, record resourcelock.LeaderElectionRecord, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	l, known := o.leases[name]
	_, free := l.free(now)
	return known && free && l.holder == record.HolderIdentity && l.renewed.Equal(record.RenewTime.Time)
}

// view returns the state of the leases of the given trees.
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

// gone returns the names of leases that can be deleted: those of replicas that ended long ago, and those of trees that
// no longer exist.
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
