// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/testing/randtest"
	"github.com/sparkgate/sparkgate/queueing"
)

// growthWorld is a leadersWorld whose applications grow and shrink.
type growthWorld struct {
	*leadersWorld
	// wanted is how many executors above its base gang each application has; running is how many of them were ungated
	// and have not ended.
	wanted, running map[queueing.Key]int32
	grown, declined int
}

func newGrowthWorld(t *testing.T, seed uint64) *growthWorld {
	t.Helper()
	w := &growthWorld{leadersWorld: newLeadersWorld(t, seed), wanted: map[queueing.Key]int32{}, running: map[queueing.Key]int32{}}
	queue := &v1alpha1.SparkQueue{}
	must(t, w.client.Get(t.Context(), client.ObjectKey{Name: "team-a"}, queue))
	queue.Spec.Preemption = &v1alpha1.QueuePreemption{WithinQueue: v1alpha1.PreemptionPolicy([]string{"Never", "LowerPriority", "LowerOrNewerEqualPriority"}[w.IntN(3)])}
	must(t, w.client.Update(t.Context(), queue))
	w.lead()
	return w
}

// arrive makes an application ask for a driver and an executor, each of one core.
func (w *growthWorld) arrive() {
	name := fmt.Sprintf("app-%03d", len(w.log))
	ask := piSince(noon.Add(time.Duration(len(w.log)) * time.Second))
	ask.Key.Name, ask.Key.UID, ask.Priority, ask.Elastic = name, name, w.Int32N(3), "executor"
	one := queueing.Resources{"cpu": 1000, "pods": 1}
	ask.PodSets = []queueing.PodSet{{Name: "driver", Count: 1, Requests: one}, {Name: "executor", Count: 1, Requests: one}}
	w.say("%s arrives", name)
	w.apps[ask.Key] = &storedApp{ask: ask}
}

// above counts the executors above the base gang of a grant.
func above(g *queueing.Grant) (n int32) {
	for _, p := range g.PodSets {
		if p.Elastic {
			n += p.Count
		}
	}
	return n
}

// resized returns a grant with this many executors above its base gang.
func resized(g queueing.Grant, count int32) *queueing.Grant {
	requests := g.PodSets[1].Requests
	g.PodSets = slices.Clone(g.PodSets[:2])
	if count > 0 {
		g.PodSets = append(g.PodSets, queueing.PodSetGrant{Name: "executor", Flavor: "default", Count: count, Requests: requests, Elastic: true})
	}
	return &g
}

// pass does what the application controller does in a reconciliation.
func (w *growthWorld) pass(p *leaderProcess, key queueing.Key) {
	app, exists := w.see(p, key)
	switch {
	case !exists:
	case app.grant == nil:
		w.request(p, key, app)
	default:
		p.gate.UpdateHolder(key, app.ask.Run, app.ask.Attempt, queueing.HolderState{Priority: app.ask.Priority, QueuedAt: app.ask.QueuedAt})
		if p.gate.Eviction(key, app.grant.Run, app.grant.Attempt) != nil || w.chance(0.03) || w.calm && w.chance(0.2) {
			w.running[key], w.wanted[key] = 0, 0
			w.end(p, key)
			return
		}
		w.allocate(p, key, app)
	}
}

// allocate asks for the executors that an application has, stores what it gets, and ungates executors.
func (w *growthWorld) allocate(p *leaderProcess, key queueing.Key, app storedApp) {
	room := p.gate.Resize(w.t.Context(), key, *app.grant, queueing.ResizeRequest{PodSet: "executor", Count: w.wanted[key]})
	if room.Grant == nil {
		return
	}
	running := w.running[key]
	most := max(running, above(room.Grant)) - room.ReclaimedIn("default") // executors that run are charged in any case
	ungates := max(0, min(most, w.wanted[key])-running)
	next := resized(*room.Grant, running+ungates)
	if above(next) != above(app.grant) || next.Resizes != app.grant.Resizes {
		if err := w.store(p, key, func(a *storedApp) { a.grant = next }); err != nil {
			// An earlier leader that does not know better could store what is declined.
			if apierrors.IsForbidden(err) && next.Resizes > app.grant.Resizes && len(w.leaders) == 1 {
				w.say("%s cannot store its growth", key.Name)
				w.declined++
				p.gate.Decline(w.t.Context(), key, *app.grant)
			}
			return
		}
		w.say("%s has %d more from %s, resized %d times", key.Name, above(next), p.gate.o.Holder, next.Resizes)
		w.grown++
	}
	p.gate.Persisted(w.t.Context(), key, *next)
	if now := w.apps[key]; now == nil || now.version != p.seen[key].version {
		return // a live read shows that the grant is not the one that is stored
	}
	w.running[key] = min(running+ungates, max(0, most))
	w.wanted[key] = max(w.running[key], w.wanted[key])
}

func (w *growthWorld) step() {
	keys := w.known()
	switch n := w.IntN(80); {
	case n < 4 && len(keys) < 5 || len(keys) == 0:
		w.arrive()
	case n < 6:
		w.lead()
	case n < 7:
		w.away = !w.away
	case n < 8: // the earlier leader notices, and exits
		w.leaders = w.leaders[len(w.leaders)-1:]
	case n < 9:
		if key := keys[w.IntN(len(keys))]; w.apps[key].grant == nil {
			w.say("%s is deleted", key.Name)
			delete(w.apps, key)
		}
	case n < 18:
		key := keys[w.IntN(len(keys))]
		w.wanted[key] = w.running[key] + w.Int32N(6)
	case n < 21: // executors end
		key := keys[w.IntN(len(keys))]
		w.running[key] = min(w.running[key], w.Int32N(4))
		w.wanted[key] = w.running[key]
	case n < 35:
		w.decide(w.anyLeader())
	default:
		w.pass(w.anyLeader(), keys[w.IntN(len(keys))])
	}
}

// wrong returns what is wrong with what the applications hold and use.
func (w *growthWorld) wrong() string {
	cores := int32(0)
	for _, key := range w.known() {
		grant := w.apps[key].grant
		if grant == nil {
			if w.running[key] > 0 {
				return fmt.Sprintf("%s runs %d executors without a grant", key.Name, w.running[key])
			}
			continue
		}
		if has := above(grant); w.running[key] > has {
			return fmt.Sprintf("%s runs %d executors above its base gang and has %d", key.Name, w.running[key], has)
		}
		cores += 2 + above(grant)
	}
	if cores > leaderQuota {
		return fmt.Sprintf("%d cores are held", cores)
	}
	return ""
}

// TestGrowthUnderLeadersOneAfterAnother: leaders follow each other while applications grow and shrink, and earlier
// leaders continue. No more than the quota is ever held, no executor runs that is not in the stored grant, and in the
// end nothing stays charged or in flight.
func TestGrowthUnderLeadersOneAfterAnother(t *testing.T) {
	t.Parallel()
	grown, fenced, declined := 0, 0, 0
	played := randtest.Each(t, leaderSeeds, func(seed uint64) {
		w := newGrowthWorld(t, seed)
		check := func() {
			if wrong := w.wrong(); wrong != "" {
				t.Fatalf("%s; what happened:\n%s", wrong, strings.Join(w.log, "\n"))
			}
		}
		for range 3 * leaderSteps {
			w.step()
			check()
		}
		w.calm, w.away = true, false
		last := w.leaders[len(w.leaders)-1]
		for range 100 {
			w.clock.Step(time.Second)
			w.decide(last)
			gone := slices.DeleteFunc(slices.Collect(maps.Keys(last.seen)), func(key queueing.Key) bool { return w.apps[key] != nil })
			for _, key := range append(w.known(), gone...) {
				w.pass(last, key)
			}
			check()
		}
		state, _ := last.gate.View().State("team-a")
		if len(w.apps) > 0 || state.Admitted > 0 || len(last.gate.admissions.inFlight.grants) > 0 || state.Usage[0].Used > 0 {
			t.Fatalf("%v are left in the end, %d in flight, %+v; what happened:\n%s", w.known(), len(last.gate.admissions.inFlight.grants), state, strings.Join(w.log, "\n"))
		}
		grown, fenced, declined = grown+w.grown, fenced+w.fenced, declined+w.declined
	})
	if played >= leaderSeeds && (grown < 5*played || fenced < played/2 || declined < played/40) {
		t.Errorf("grown %d times, %d leaders fenced, %d times declined in %d worlds: too few to show anything", grown, fenced, declined, played)
	}
}
