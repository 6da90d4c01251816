// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"testing"

	"github.com/sparkgate/sparkgate/queueing"
)

// TestDecline: growth of a grant that its holder can never record is released at once, and the grant does not grow
// again before its holder asks.
func TestDecline(t *testing.T) {
	t.Parallel()
	r, _, _ := measured(t, nil)
	acquired, err := r.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	requests := queueing.Resources{"cpu": 200, "pods": 1}
	held := queueing.Grant{Run: 1, Attempt: 2, Gate: "Embedded", Queue: "team-a", SchedulingGated: true, PodSets: []queueing.PodSetGrant{
		{Name: "driver", Flavor: "default", Count: 1, Requests: requests}, {Name: "executor", Flavor: "default", Count: 1, Requests: requests},
	}}
	r.Open(acquired, []Holding{{Key: pi, Grant: held}}, nil, func(queueing.Key) bool { return true })
	r.UpdateHolder(pi, 1, 2, queueing.HolderState{})
	want := queueing.ResizeRequest{PodSet: "executor", Count: 3}
	r.Resize(t.Context(), pi, held, want)
	if err := r.loop.cycles.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	grown := r.Resize(t.Context(), pi, held, want)
	if grown.Grant == nil || grown.Grant.Resizes != 1 || len(r.admissions.inFlight.grants) != 1 {
		t.Fatalf("it has not grown: %+v, %d in flight", grown.Grant, len(r.admissions.inFlight.grants))
	}
	r.Decline(t.Context(), pi, held)
	if len(r.admissions.inFlight.grants) != 0 {
		t.Errorf("%d grants are in flight", len(r.admissions.inFlight.grants))
	}
	if err := r.loop.cycles.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(r.admissions.inFlight.grants) != 0 {
		t.Error("it grew again although nobody has asked")
	}
	if state, _ := r.View().State("team-a"); len(state.Usage) == 0 {
		t.Errorf("nothing is charged: %+v", state)
	}
	if room := r.Resize(t.Context(), pi, held, queueing.ResizeRequest{}); room.Grant == nil || len(room.Grant.PodSets) != len(held.PodSets) {
		t.Errorf("what is held is not what it was before: %+v", room.Grant)
	}
}
