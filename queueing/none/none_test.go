// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package none

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/queueing"
)

func TestGrantsAtOnceInFull(t *testing.T) {
	t.Parallel()
	ask := queueing.Ask{
		Key: queueing.Key{Namespace: "default", Name: "pi", UID: "1"}, Run: 3, Attempt: 2, Queue: "team-a",
		PodSets: []queueing.PodSet{
			{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": 200, "pods": 1}},
			{Name: "executor", Count: 5, MinCount: 2, Requests: queueing.Resources{"cpu": 100, "pods": 1}, Flavors: []string{"spot"}},
		},
	}
	for range 2 { // the same ask gives the same verdict
		got, err := Gate{}.Sync(t.Context(), ask)
		if err != nil {
			t.Fatal(err)
		}
		want := queueing.Verdict{State: queueing.Granted, Reason: "DelegatedToScheduler", Grant: &queueing.Grant{Run: 3, Attempt: 2, Gate: "None", PodSets: []queueing.PodSetGrant{
			{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": 200, "pods": 1}},
			{Name: "executor", Count: 5, Requests: queueing.Resources{"cpu": 100, "pods": 1}},
		}}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("verdict (-want +got):\n%s", diff)
		}
		got.Grant.PodSets[0].Requests["cpu"] = 0
		if ask.PodSets[0].Requests["cpu"] != 200 {
			t.Error("the grant shares its amounts with the ask")
		}
	}
}

func TestHoldsNothing(t *testing.T) {
	t.Parallel()
	key := queueing.Key{Namespace: "default", Name: "pi", UID: "1"}
	Gate{}.Persisted(t.Context(), key, queueing.Grant{Run: 1, Attempt: 1})
	if err := (Gate{}).Release(t.Context(), key, queueing.Release{}); err != nil {
		t.Error(err)
	}
}
