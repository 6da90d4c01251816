// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// longest is the maximum length of a ledger's entries in the schema.
const longest = 1 << 20

// openGate returns a gate that decides, and calls write for every write of a ledger.
func openGate(t *testing.T, write func(patch string) error) (*Gate, *clocktesting.FakeClock) {
	t.Helper()
	g, _, clock := measured(t, nil)
	acquired, err := g.Acquire(t.Context())
	must(t, err)
	g.Open(acquired, nil, nil, func(queueing.Key) bool { return true })
	intercept(t, g, write)
	return g, clock
}

// intercept calls write for every write of a ledger, before it is sent.
func intercept(t *testing.T, g *Gate, write func(patch string) error) {
	t.Helper()
	g.o.Client = interceptor.NewClient(g.o.Client.(client.WithWatch), interceptor.Funcs{
		SubResourcePatch: func(ctx context.Context, to client.Client, sub string, obj client.Object, patch client.Patch, o ...client.SubResourcePatchOption) error {
			text, err := patch.Data(obj)
			must(t, err)
			if err := write(string(text)); err != nil {
				return err
			}
			return to.SubResource(sub).Patch(ctx, obj, patch, o...)
		},
	})
}

// request asks for an application that requests many resources with names of the maximum length.
func request(t *testing.T, g *Gate, name string, resources int) queueing.Ask {
	t.Helper()
	ask := piSince(noon)
	ask.Key.Name, ask.Key.UID = name, name
	ask.PodSets = []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": 200, "pods": 1}}}
	for i := range resources {
		ask.PodSets[0].Requests[fmt.Sprintf("%s.example.com/%062d", strings.Repeat("x", 241), i)] = 1
	}
	_, err := g.Sync(t.Context(), ask)
	must(t, err)
	return ask
}

// TestRefusedLedger: if the ledger of a full batch cannot be written, the batch is decided again after a pause, not at
// once, and not because applications with a withdrawn grant ask again.
func TestRefusedLedger(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	writes := 0
	g, clock := openGate(t, func(string) error {
		if writes++; writes > 10 {
			cancel()
		}
		return apierrors.NewForbidden(v1alpha1.GroupVersion.WithResource("sparkqueues").GroupResource(), "team-a", nil)
	})
	g.o.Wake = func(key queueing.Key) { request(t, g, key.Name, 0) }
	for i := range 2 * batch {
		request(t, g, fmt.Sprint(i), 0)
	}
	for len(g.loop.signals.cycle) > 0 {
		<-g.loop.signals.cycle
	}
	must(t, g.loop.cycles.run(ctx))
	if writes != 1 || len(g.loop.signals.cycle) > 0 {
		t.Fatalf("%d writes, another one at once: %t", writes, len(g.loop.signals.cycle) > 0)
	}
	clock.Step(retryDelay)
	<-g.loop.signals.cycle
}

// TestLargeGrants: only a few large grants are in flight at the same time, so that they fit into the ledger, and they
// do not block others.
func TestLargeGrants(t *testing.T) {
	t.Parallel()
	most := 0
	g, _ := openGate(t, func(string) error { return nil })
	asks := map[queueing.Key]queueing.Ask{}
	for i := range 6 {
		ask := request(t, g, fmt.Sprintf("large-%d", i), 600) // about 190 KiB
		asks[ask.Key] = ask
	}
	for i := range 5 {
		ask := request(t, g, fmt.Sprintf("small-%d", i), 0)
		asks[ask.Key] = ask
	}
	var rounds []int
	for range 10 {
		must(t, g.loop.cycles.run(t.Context()))
		queue := &v1alpha1.SparkQueue{}
		must(t, g.o.Live.Get(t.Context(), types.NamespacedName{Name: "team-a"}, queue))
		most = max(most, len(queue.Status.Ledger.Entries))
		granted := 0
		for key, ask := range asks {
			verdict, err := g.Sync(t.Context(), ask)
			must(t, err)
			if verdict.State == queueing.Granted {
				granted++
				g.Persisted(t.Context(), key, *verdict.Grant)
				delete(asks, key)
			}
		}
		if rounds = append(rounds, granted); len(asks) == 0 {
			break
		}
		if granted > 0 && len(g.loop.signals.cycle) == 0 {
			t.Error("nobody decides on those that had to wait")
		}
	}
	if most > longest {
		t.Errorf("a ledger has %d bytes, and may have %d", most, longest)
	}
	if len(asks) > 0 || rounds[0] < 5 {
		t.Errorf("%d wait in the end; %v were granted at a time", len(asks), rounds)
	}
}

// TestTooLargeGrant: a grant that fits into no ledger does not block others.
func TestTooLargeGrant(t *testing.T) {
	t.Parallel()
	refused := 0
	g, _ := openGate(t, func(patch string) error {
		if len(patch) > longest {
			refused++
			return apierrors.NewInvalid(v1alpha1.GroupVersion.WithKind("SparkQueue").GroupKind(), "team-a", nil)
		}
		return nil
	})
	request(t, g, "huge", 4000)
	small := request(t, g, "small", 0)
	must(t, g.loop.cycles.run(t.Context()))
	if verdict, err := g.Sync(t.Context(), small); err != nil || verdict.State != queueing.Granted || refused > 0 {
		t.Errorf("%v, %v, %d writes were refused", verdict, err, refused)
	}
	g.Persisted(t.Context(), small.Key, queueing.Grant{Run: small.Run, Attempt: small.Attempt})
	must(t, g.loop.cycles.run(t.Context()))
	if refused != 1 {
		t.Errorf("the API server has refused it %d times, and would say why", refused)
	}
}

// TestLargeOrphans: orphans leave space in their ledger.
func TestLargeOrphans(t *testing.T) {
	t.Parallel()
	g, _ := openGate(t, func(string) error { return nil })
	for i := range 4 {
		ask := request(t, g, fmt.Sprint(i), 600)
		must(t, g.loop.cycles.run(t.Context()))
		g.Persisted(t.Context(), ask.Key, queueing.Grant{Run: ask.Run, Attempt: ask.Attempt})
		if _, holds := g.Orphaned(ask.Key); !holds {
			t.Fatalf("%s holds nothing", ask.Key.Name)
		}
		must(t, g.loop.cycles.run(t.Context()))
	}
	queue := &v1alpha1.SparkQueue{}
	must(t, g.o.Live.Get(t.Context(), types.NamespacedName{Name: "team-a"}, queue))
	if size := len(queue.Status.Ledger.Entries); size > longest/2 {
		t.Errorf("the orphans take %d bytes of the ledger, which may have %d", size, longest)
	}
}

// TestCountsThatAreRefused: a grant is recorded although the API server refuses the counts in the same write.
func TestCountsThatAreRefused(t *testing.T) {
	t.Parallel()
	g, _ := openGate(t, func(patch string) error {
		if strings.Contains(patch, "pending") {
			return apierrors.NewInvalid(v1alpha1.GroupVersion.WithKind("SparkQueue").GroupKind(), "team-a", nil)
		}
		return nil
	})
	g.WriteWithLedger((&recordedCounts{pending: 7}).counts)
	_, err := g.Sync(t.Context(), piSince(noon))
	must(t, err)
	must(t, g.loop.cycles.run(t.Context()))
	if got := ledgerOfTeam(t, g); len(got.InFlight) != 1 {
		t.Errorf("the ledger has %v", got.InFlight)
	}
}

// TestLedgerOfANewQueue: a root queue is deleted and created again, and the write that takes its new ledger over gets no
// answer although it is stored. The leader recognizes its own write, and continues.
func TestLedgerOfANewQueue(t *testing.T) {
	t.Parallel()
	g, _ := openGate(t, func(string) error { return nil })
	first := request(t, g, "first", 0)
	must(t, g.loop.cycles.run(t.Context()))
	g.Persisted(t.Context(), first.Key, queueing.Grant{Run: first.Run, Attempt: first.Attempt})
	queue := &v1alpha1.SparkQueue{}
	must(t, g.o.Live.Get(t.Context(), types.NamespacedName{Name: "team-a"}, queue))
	must(t, g.o.Client.Delete(t.Context(), queue))
	must(t, g.o.Client.Create(t.Context(), &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "team-a"}, Spec: queue.Spec}))
	lost := 0
	g.o.Client = interceptor.NewClient(g.o.Client.(client.WithWatch), interceptor.Funcs{
		SubResourcePatch: func(ctx context.Context, to client.Client, sub string, obj client.Object, patch client.Patch, o ...client.SubResourcePatchOption) error {
			err := to.SubResource(sub).Patch(ctx, obj, patch, o...)
			if err == nil && lost == 0 {
				lost++
				return errors.New("no answer")
			}
			return err
		},
	})
	second := request(t, g, "second", 0)
	must(t, g.loop.cycles.run(t.Context()))
	must(t, g.loop.cycles.run(t.Context()))
	if verdict, err := g.Sync(t.Context(), second); err != nil || verdict.State != queueing.Granted || lost != 1 {
		t.Errorf("%v, %v; %d answers were lost", verdict, err, lost)
	}
	if got := ledgerOfTeam(t, g); len(got.InFlight) != 1 {
		t.Errorf("the ledger has %v", got.InFlight)
	}
}
