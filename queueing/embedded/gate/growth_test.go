// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// elasticPi returns a grant of pi that has grown so often, and has this many executors above its base gang.
func elasticPi(resizes int64, count int32) queueing.Grant {
	one := queueing.Resources{"cpu": 200, "pods": 1}
	g := queueing.Grant{Run: 1, Attempt: 2, Gate: "Embedded", Queue: "team-a", SchedulingGated: true, Resizes: resizes, PodSets: []queueing.PodSetGrant{
		{Name: "driver", Flavor: "default", Count: 1, Requests: one}, {Name: "executor", Flavor: "default", Count: 1, Requests: one},
	}}
	return *resized(g, count)
}

// takesOverGrowth returns a gate whose ledger has, from an earlier leader, growth of pi that its status does not have.
func takesOverGrowth(t *testing.T, grown queueing.Grant) *Gate {
	t.Helper()
	entries, err := v1alpha1.LedgerEntries{InFlight: []v1alpha1.LedgerEntry{{Namespace: pi.Namespace, Name: pi.Name, UID: pi.UID, Grant: *convert.ToAPI(grown)}}}.Encode()
	must(t, err)
	next, _, _ := measured(t, &v1alpha1.Ledger{Holder: "earlier", Epoch: 1, Seq: 7, Entries: entries})
	acquired, err := next.Acquire(t.Context())
	must(t, err)
	next.Open(acquired, []Holding{{Key: pi, Grant: elasticPi(0, 0)}}, nil, func(queueing.Key) bool { return true })
	next.UpdateHolder(pi, 1, 2, queueing.HolderState{})
	return next
}

// TestGrowthThatAnEarlierLeaderRecorded: it stays in the ledger until the application has it, also if further growth
// cannot be recorded. The earlier leader may still write it into the status.
func TestGrowthThatAnEarlierLeaderRecorded(t *testing.T) {
	t.Parallel()
	refuse := true
	g := takesOverGrowth(t, elasticPi(1, 2))
	intercept(t, g, func(string) error {
		if refuse {
			return apierrors.NewForbidden(v1alpha1.GroupVersion.WithResource("sparkqueues").GroupResource(), "team-a", nil)
		}
		return nil
	})
	held, want := elasticPi(0, 0), queueing.ResizeRequest{PodSet: "executor", Count: 5}
	g.Resize(t.Context(), pi, held, want)
	must(t, g.loop.cycles.run(t.Context()))
	refuse = false
	g.Resize(t.Context(), pi, held, queueing.ResizeRequest{PodSet: "executor", Count: 2}) // some executors are gone
	request(t, g, "another", 0)
	must(t, g.loop.cycles.run(t.Context()))
	recorded := map[string]int64{}
	for _, e := range ledgerOfTeam(t, g).InFlight {
		recorded[e.Name] = e.Grant.Resizes
	}
	if n, has := recorded["pi"]; !has || n == 0 {
		t.Fatalf("the ledger has %v, and not the growth that pi may still get", recorded)
	}
	room := g.Resize(t.Context(), pi, held, want)
	if room.Grant == nil || room.Grant.Resizes == 0 {
		t.Fatalf("pi may have %+v, want what was recorded", room.Grant)
	}
	stored := *room.Grant
	g.Persisted(t.Context(), pi, stored)
	g.Resize(t.Context(), pi, stored, want)
	must(t, g.loop.cycles.run(t.Context()))
	if room := g.Resize(t.Context(), pi, stored, want); room.Grant == nil || above(room.Grant) != 5 {
		t.Errorf("then it does not grow further: %+v", room.Grant)
	}
}

// TestGrowthThatWasReleasedElsewhere: if the status already has a part of the growth that this process has recorded,
// another process has released the rest and may have granted it to others.
func TestGrowthThatWasReleasedElsewhere(t *testing.T) {
	t.Parallel()
	g := takesOverGrowth(t, elasticPi(1, 4))
	room := g.Resize(t.Context(), pi, elasticPi(1, 1), queueing.ResizeRequest{PodSet: "executor", Count: 4})
	if room.Grant == nil || above(room.Grant) != 1 {
		t.Errorf("it may have %+v above its base gang, want 1", room.Grant)
	}
}

// TestStatusThatIsAheadOfTheGate: what the status has is charged, even if this process knows nothing of its growth.
func TestStatusThatIsAheadOfTheGate(t *testing.T) {
	t.Parallel()
	g := takesOverGrowth(t, elasticPi(1, 1))
	stored := elasticPi(2, 6)
	room := g.Resize(t.Context(), pi, stored, queueing.ResizeRequest{PodSet: "executor", Count: 6})
	if room.Grant == nil || above(room.Grant) != 6 || room.Grant.Resizes != 2 {
		t.Errorf("it may have %+v, and has 6", room.Grant)
	}
	if state, _ := g.View().State("team-a"); state.ElasticPods != 6 {
		t.Errorf("%d executors above base gangs are charged, want 6", state.ElasticPods)
	}
}
