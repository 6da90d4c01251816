// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// TestLedgerOfAnEarlierVersion: its grants are charged and offered again, and are in the new format from the first
// write on.
func TestLedgerOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	text, _ := inLedger(piSince(noon)).Decode()
	list, err := json.Marshal(text.InFlight)
	if err != nil {
		t.Fatal(err)
	}
	r, _, _ := measured(t, &v1alpha1.Ledger{Holder: "earlier", Epoch: 3, Seq: 9, InFlight: &runtime.RawExtension{Raw: list}})
	if verdict := takenOver(t, r); verdict.State != queueing.Granted || verdict.Grant.Attempt != 2 {
		t.Errorf("%+v, want the grant of attempt 2", verdict)
	}
	queue := &v1alpha1.SparkQueue{}
	if err := r.o.Live.Get(t.Context(), types.NamespacedName{Name: "team-a"}, queue); err != nil {
		t.Fatal(err)
	}
	l := queue.Status.Ledger
	if got := ledgerOfTeam(t, r); len(got.InFlight) != 1 || l.InFlight != nil || l.Orphans != nil || l.Epoch != 4 || l.Seq != 10 {
		t.Errorf("ledger %+v, want one entry in the text and no lists, epoch 4 and write 10", l)
	}
}

// TestLedgerWithGarbage: invalid entries are left out when a ledger is taken over, and its tree is led.
func TestLedgerWithGarbage(t *testing.T) {
	t.Parallel()
	for name, ledger := range map[string]*v1alpha1.Ledger{
		"text":     {Entries: "everything"},
		"lists":    {InFlight: &runtime.RawExtension{Raw: []byte(`{"a": 1}`)}, Orphans: &runtime.RawExtension{Raw: []byte(`[7]`)}},
		"requests": {Entries: `{"inFlight": [{"namespace": "default", "name": "x", "uid": "x", "grant": {"queue": "team-a", "podSets": [{"name": "driver", "count": -5, "requests": {"cpu": "-1e30"}}]}}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _, _ := measured(t, ledger)
			takenOver(t, r)
			if err := r.loop.cycle(t.Context()); err != nil {
				t.Fatal(err)
			}
			verdict, err := r.Sync(t.Context(), piSince(noon))
			if err != nil || verdict.State != queueing.Granted {
				t.Errorf("%+v, %v; want a grant", verdict, err)
			}
		})
	}
}

// takenOver opens a gate for the stored objects, and returns its verdict on the application pi.
func takenOver(t *testing.T, r *Gate) queueing.Verdict {
	t.Helper()
	acquired, err := r.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.Open(acquired, nil, nil, func(queueing.Key) bool { return true })
	verdict, err := r.Sync(t.Context(), piSince(noon))
	if err != nil {
		t.Fatal(err)
	}
	return verdict
}
