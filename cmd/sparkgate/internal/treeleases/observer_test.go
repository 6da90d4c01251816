// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package treeleases

import (
	"maps"
	"slices"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/cmd/sparkgate/internal/lease"
)

var noon = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

// held is a lease of ten seconds that was renewed some seconds after noon, by the clock of its holder.
func held(name, holder string, renewed int) coordinationv1.Lease {
	return coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: coordinationv1.LeaseSpec{
		HolderIdentity: ptr.To(holder), LeaseDurationSeconds: ptr.To[int32](10),
		RenewTime: ptr.To(metav1.NewMicroTime(noon.Add(time.Duration(renewed) * time.Second))),
	}}
}

func TestObserver(t *testing.T) {
	t.Parallel()
	o, now := newObserver(), noon.Add(time.Hour) // this clock is ahead, which does not count
	trees := []string{rest, "a", "b", "new"}
	see := func(after time.Duration, leases ...coordinationv1.Lease) view {
		now = now.Add(after)
		o.see(leases, now)
		return o.view("me", trees, now)
	}
	expect := func(moment string, v view, replicas int, heldBy, free []string) {
		t.Helper()
		if got := slices.Sorted(maps.Keys(v.held)); v.replicas != replicas || !slices.Equal(got, heldBy) {
			t.Errorf("%s: %d replicas, others hold %q; want %d and %q", moment, v.replicas, got, replicas, heldBy)
		}
		if got := slices.Sorted(maps.Keys(v.free)); !slices.Equal(got, free) {
			t.Errorf("%s: free are %q, want %q", moment, got, free)
		}
	}
	alive := func(at int) []coordinationv1.Lease {
		return []coordinationv1.Lease{held(lease.ReplicaPrefix+"1", "me", at), held(lease.Name, "me", at), held(lease.OfTree("a"), "me", at)}
	}
	other, its := held(lease.ReplicaPrefix+"2", "other", 1), held(lease.OfTree("b"), "other", 1)
	expect("at first", see(0, append(alive(0), other, its)...), 2, []string{"b"}, []string{"new"})
	expect("not expired", see(9*time.Second, append(alive(9), other, its)...), 2, []string{"b"}, []string{"new"})
	v := see(time.Second, append(alive(10), other, its)...)
	expect("the other one has ended", v, 1, nil, []string{"b", "new"})
	if v.free["new"] != 10*time.Second || v.free["b"] != 0 {
		t.Errorf("free since %v", v.free)
	}
	record := resourcelock.LeaderElectionRecord{HolderIdentity: "other", RenewTime: metav1.NewTime(its.Spec.RenewTime.Time)}
	if !o.expired(lease.OfTree("b"), record, now) {
		t.Error("the lease of b may not be taken")
	}
	record.RenewTime = metav1.NewTime(noon.Add(11 * time.Second))
	if o.expired(lease.OfTree("b"), record, now) {
		t.Error("the lease of b may be taken, and was renewed a moment ago")
	}
	trees = []string{rest, "a"} // b is deleted
	see(time.Minute, append(alive(70), other, its)...)
	names := o.gone(trees, now, 30*time.Second)
	if slices.Sort(names); !slices.Equal(names, []string{lease.ReplicaPrefix + "2", lease.OfTree("b")}) {
		t.Errorf("not needed: %q", names)
	}
	if v := see(0, held(lease.Name, "leads-everything", 80)); !v.blocked {
		t.Error("it does not wait for a process that leads everything")
	}
}
