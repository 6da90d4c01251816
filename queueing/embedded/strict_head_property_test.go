// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// TestStrictHeadsKeepTheirOwnPart: while the head of a StrictFIFO queue without a headTimeout waits, no borrower takes
// what is left of its queue's own quota, except for other such heads. An ask whose verdict says that quota is reserved
// would have taken some of it.
func TestStrictHeadsKeepTheirOwnPart(t *testing.T) {
	kept, borrowed := 0, 0
	played := forSeeds(t, func(t *testing.T, w *world) {
		w.setQueues(w.strictQueues())
		for step := range 150 {
			if key, known := w.anyKey(); known && w.chance(0.4) {
				w.release(key)
			}
			a := queueing.Ask{Key: w.newKey(), Run: 1, Attempt: 1, Queue: fmt.Sprintf("q%d", 1+w.IntN(4)), QueuedAt: epoch.Add(time.Duration(step) * time.Second),
				PodSets: []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": 1 + w.Int64N(8)}}}}
			w.submit(a)
			w.engine.Advance(epoch.Add(time.Duration(step) * time.Second))
			for _, d := range w.decide() {
				parts := w.keptParts(d.Grant.Queue)
				w.granted(d, w.ref.asks[d.Key])
				if w.ref.configs[d.Grant.Queue].Strategy == config.StrictFIFO || w.ref.usage(d.Grant.Queue, defaultCPU) <= w.ref.subtree(d.Grant.Queue, defaultCPU) {
					continue
				}
				borrowed++
				for queue, part := range parts {
					if w.ref.available(queue, defaultCPU) < part {
						t.Fatalf("%s borrows what is left of the quota of %s", d.Key.Name, queue)
					}
				}
			}
			kept += w.refusedForParts(t)
		}
	})
	if played >= worlds && (kept < played || borrowed < played) {
		t.Errorf("%d had to wait for heads and %d borrowed in %d worlds: too few to show anything", kept, borrowed, played)
	}
}

var defaultCPU = cell{config.DefaultFlavor, "cpu"}

// strictQueues returns siblings that borrow from each other, every second one with StrictFIFO.
func (w *world) strictQueues() []config.Queue {
	queues := []config.Queue{{Name: "q0"}}
	for i := 1; i <= 4; i++ {
		limit, none := w.Int64N(6), time.Duration(0)
		q := config.Queue{Name: fmt.Sprintf("q%d", i), Parent: "q0", Admits: func(map[string]string) bool { return true }, HeadTimeout: &none, Weight: 1,
			Flavors: []config.FlavorQuota{{Name: config.DefaultFlavor, Quotas: []config.ResourceQuota{{Resource: "cpu", Nominal: w.Int64N(12), Borrowing: &limit}}}}}
		if i%2 == 0 {
			q.Strategy = config.StrictFIFO
		} else {
			hour := time.Hour
			q.HeadTimeout = &hour
		}
		queues = append(queues, q)
	}
	return queues
}

// keptParts returns, for each waiting head of a queue other than but, what is left of its queue's own quota, if that
// can be used.
func (w *world) keptParts(but string) map[string]int64 {
	out := map[string]int64{}
	for _, tree := range w.engine.hierarchy.Trees {
		for _, r := range tree.Reservations {
			name := r.Queue.Name
			part := min(r.Ask.Signature.PodSets[0].Requests["cpu"], max(0, w.ref.subtree(name, defaultCPU)-w.ref.usage(name, defaultCPU)))
			if !r.IsDone() && name != but && w.ref.available(name, defaultCPU) >= part {
				out[name] = part
			}
		}
	}
	return out
}

// refusedForParts checks that each ask that waits because quota is reserved does not fit beside the reserved parts. It
// returns the number of such asks.
func (w *world) refusedForParts(t *testing.T) int {
	t.Helper()
	count := 0
	for _, a := range w.ref.waiting() {
		class := w.engine.registry.Askers[a.Key].Class
		if class.IsInadmissible() || !class.Reserved || class.Next().Key != a.Key {
			continue
		}
		r := w.engine.reservations.BlockingReservation(class, class.Options[0].MinNeed)
		if r == nil {
			continue // the head has started since
		}
		count++
		name := r.Queue.Name
		part := min(r.Ask.Signature.PodSets[0].Requests["cpu"], max(0, w.ref.subtree(name, defaultCPU)-w.ref.usage(name, defaultCPU)))
		mark := queueing.Key{Name: "what is kept"}
		w.ref.grants[mark] = queueing.Grant{Queue: name, PodSets: []queueing.PodSetGrant{{Flavor: config.DefaultFlavor, Count: 1, Requests: queueing.Resources{"cpu": part}}}}
		fits := a.PodSets[0].Requests["cpu"] <= w.ref.available(a.Queue, defaultCPU)
		delete(w.ref.grants, mark)
		if fits {
			t.Fatalf("%s waits for the head of %s, which keeps %d: both fit", a.Key.Name, name, part)
		}
	}
	return count
}
