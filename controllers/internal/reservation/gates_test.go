// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package reservation

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/queueing"
)

// recorder is a gate that admits everything and records its calls.
type recorder struct {
	can     queueing.Capabilities
	told    []string
	verdict queueing.Verdict
	failure error
}

func (r *recorder) Capabilities() queueing.Capabilities { return r.can }

func (r *recorder) Sync(_ context.Context, ask queueing.Ask) (queueing.Verdict, error) {
	r.told = append(r.told, "sync "+ask.Key.String())
	return r.verdict, r.failure
}

func (r *recorder) Persisted(_ context.Context, key queueing.Key, _ queueing.Grant) {
	r.told = append(r.told, "persisted "+key.String())
}

func (r *recorder) Release(_ context.Context, key queueing.Key, how queueing.Release) error {
	r.told = append(r.told, "release "+key.String()+" "+[]string{"deleted", "abandoned", "requeued", "suspended"}[how.Reason])
	return r.failure
}

// keeper is a gate that keeps asks and charges for deleted applications.
type keeper struct {
	recorder
	keys    []queueing.Key
	orphans map[queueing.Key]queueing.Grant
}

func (k *keeper) KeysFor(kind, namespace, name string) []queueing.Key {
	return slices.DeleteFunc(slices.Clone(k.keys), func(key queueing.Key) bool {
		return key.Kind != kind || key.Namespace != namespace || key.Name != name
	})
}

// mourner is a keeper that charges for what is gone.
type mourner struct{ keeper }

func (m *mourner) Orphaned(key queueing.Key) (queueing.Grant, bool) {
	grant, holds := m.orphans[key]
	return grant, holds
}

var (
	pi  = queueing.Key{Namespace: "team", Name: "pi", UID: "1"}
	pod = queueing.Key{Kind: "Pod", Namespace: "team", Name: "pi", UID: "2"}
)

func TestRequestLeavesOtherGates(t *testing.T) {
	t.Parallel()
	asked, before, never := &recorder{verdict: queueing.Verdict{State: queueing.Granted}}, &keeper{keys: []queueing.Key{pi}}, &keeper{keys: []queueing.Key{pod}}
	gates := Gates{"Asked": asked, "Before": before, "Never": never}
	verdict, err := gates.Request(t.Context(), "Asked", queueing.Ask{Key: pi})
	if err != nil || verdict.State != queueing.Granted {
		t.Errorf("verdict %v, %v", verdict, err)
	}
	if diff := cmp.Diff([][]string{{"sync team/pi"}, {"release team/pi abandoned"}, nil}, [][]string{asked.told, before.told, never.told}); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	before.failure = errors.New("no answer")
	if _, err := gates.Request(t.Context(), "Asked", queueing.Ask{Key: pi}); !errors.Is(err, before.failure) || len(asked.told) != 1 {
		t.Errorf("asked %q although what was asked of another gate is still there: %v", asked.told, err)
	}
}

// TestReleaseOfPods: a gate that cannot charge unmanaged pods is not called for them.
func TestReleaseOfPods(t *testing.T) {
	t.Parallel()
	all, applications := &recorder{can: queueing.Capabilities{Charges: true}}, &recorder{}
	gates := Gates{"All": all, "Applications": applications}
	charging := gates.Only(func(can queueing.Capabilities) bool { return can.Charges })
	failed := errors.Join(charging.Release(t.Context(), pod, queueing.Release{Reason: queueing.Suspended}), gates.Release(t.Context(), pi, queueing.Release{Reason: queueing.Suspended}))
	if failed != nil {
		t.Fatal(failed)
	}
	want := [][]string{{"release Pod team/pi suspended", "release team/pi suspended"}, {"release team/pi suspended"}}
	if diff := cmp.Diff(want, [][]string{all.told, applications.told}); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// TestPlainGate: a gate that implements only queueing.Gate works everywhere.
func TestPlainGate(t *testing.T) {
	t.Parallel()
	gate := &recorder{can: queueing.Capabilities{Queues: true}}
	gates, grant := Gates{"Plain": gate}, queueing.Grant{Gate: "Plain", Run: 1, Attempt: 1}
	gates.Persisted(t.Context(), pi, grant)
	gates.Persisted(t.Context(), pi, queueing.Grant{Gate: "Gone"})
	gates.Declined(t.Context(), pi, grant)
	gates.Charge(pi, grant)
	gates.UpdateHolder(pi, grant, queueing.HolderState{})
	if e := gates.Eviction(pi, grant); e != nil {
		t.Errorf("evicted: %v", e)
	}
	if room := gates.Resize(t.Context(), pi, grant, queueing.ResizeRequest{Count: 3}); cmp.Diff(&grant, room.Grant) != "" {
		t.Errorf("resized to %v", room.Grant)
	}
	restored, err := gates.Ensure(t.Context(), "Plain", queueing.Ask{Key: pi})
	if failed := errors.Join(err, gates.Report(t.Context(), "Plain", pi, queueing.Progress{}), gates.Forget(t.Context(), pi, 1, 1)); failed != nil || restored != "" {
		t.Errorf("restored %q: %v", restored, failed)
	}
	if _, _, asked := gates.Priority("Plain", "high"); asked || gates.Observes("Plain") || gates.Ensures("Plain") || len(gates.Keys(pi)) > 0 {
		t.Error("it is taken for a gate that can do more")
	}
	if diff := cmp.Diff([]string{"persisted team/pi"}, gate.told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestOrphaned(t *testing.T) {
	t.Parallel()
	held := queueing.Grant{Gate: "Mourns", Queue: "team-a"}
	mourns := &mourner{keeper{orphans: map[queueing.Key]queueing.Grant{pi: held}}}
	elsewhere := &keeper{}
	gates := Gates{"Mourns": mourns, "Elsewhere": elsewhere, "Plain": &recorder{}}
	if grant, here := gates.Orphaned(pi); !here || grant.Queue != "team-a" {
		t.Errorf("the orphan holds %v, charged here: %t; want what it held in team-a", grant, here)
	}
	if grant, here := gates.Orphaned(queueing.Key{Namespace: "team", Name: "other", UID: "3"}); !here || grant.Queue != "" {
		t.Errorf("%v, %t for one that held nothing", grant, here)
	}
	elsewhere.keys = []queueing.Key{pi}
	if _, here := gates.Orphaned(pi); here {
		t.Error("charged twice: another system has it")
	}
}
