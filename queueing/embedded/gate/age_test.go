// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// TestHoldersKeepTheirAge: after a restart the newest grant is still preempted first, in whatever order the grants are
// restored. A grant that grows does not become newer.
func TestHoldersKeepTheirAge(t *testing.T) {
	t.Parallel()
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	key := func(name string) queueing.Key { return queueing.Key{Namespace: "default", Name: name, UID: name} }
	requests := queueing.Resources{"cpu": 1000}
	held := func(name string, resizes int64) queueing.Grant {
		return queueing.Grant{Run: 1, Attempt: 1, Gate: "Embedded", Queue: "team-a", SchedulingGated: true, Resizes: resizes,
			PodSets: []queueing.PodSetGrant{{Name: "driver", Flavor: "default", Count: 1, Requests: requests}}}
	}
	for name, tt := range map[string]struct {
		since map[string]time.Time
		grown string // an entry of the ledger
		want  string
	}{
		"the first by name is the newest": {map[string]time.Time{"a": at(3), "b": at(1), "c": at(2)}, "", "a"},
		"the last by name is the newest":  {map[string]time.Time{"a": at(1), "b": at(2), "c": at(3)}, "", "c"},
		"one whose time is not known":     {map[string]time.Time{"a": at(1), "b": at(2), "c": {}}, "", "b"},
		"the oldest has grown":            {map[string]time.Time{"a": at(1), "b": at(2), "c": at(3)}, "a", "c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _, _ := measured(t, nil)
			queue := &v1alpha1.SparkQueue{}
			if err := r.o.Live.Get(t.Context(), types.NamespacedName{Name: "team-a"}, queue); err != nil {
				t.Fatal(err)
			}
			queue.Spec.Unlimited, queue.Spec.Preemption = false, &v1alpha1.QueuePreemption{WithinQueue: "LowerPriority"}
			queue.Spec.Flavors = []v1alpha1.FlavorQuota{{Name: "default", Quotas: []v1alpha1.ResourceQuota{{Resource: "cpu", Nominal: resource.MustParse("3")}}}}
			if err := r.o.Client.Update(t.Context(), queue); err != nil {
				t.Fatal(err)
			}
			acquired, err := r.Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var found []Holding
			for _, app := range []string{"a", "b", "c"} {
				found = append(found, Holding{Key: key(app), Grant: held(app, 0), Since: tt.since[app]})
			}
			if tt.grown != "" {
				acquired.inFlight = append(acquired.inFlight, ledgerGrant{key: key(tt.grown), entry: newEntry(key(tt.grown), "team-a", held(tt.grown, 1))})
			}
			r.Open(acquired, found, nil, func(queueing.Key) bool { return true })
			for app := range tt.since {
				r.UpdateHolder(key(app), 1, 1, queueing.HolderState{})
			}
			urgent := queueing.Ask{Key: key("urgent"), Run: 1, Attempt: 1, Queue: "team-a", Priority: 5, QueuedAt: at(9), NamespaceLabels: map[string]string{},
				PodSets: []queueing.PodSet{{Name: "driver", Count: 1, Requests: requests}}}
			if _, err := r.Sync(t.Context(), urgent); err != nil {
				t.Fatal(err)
			}
			if err := r.loop.cycles.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			for app := range tt.since {
				if x, _ := r.View().Explain(key(app)); (x.Holds.Eviction != nil) != (app == tt.want) {
					t.Errorf("%s: preempted %t, want %s to be", app, x.Holds.Eviction != nil, tt.want)
				}
			}
		})
	}
}
