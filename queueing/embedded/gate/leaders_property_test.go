// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/testing/randtest"
	"github.com/sparkgate/sparkgate/queueing"
)

const (
	// leaderSeeds is the default number of seeds, and leaderSteps the number of steps for each.
	leaderSeeds, leaderSteps = 12, 200
	// leaderQuota is the number of cores.
	leaderQuota = 10
)

// storedApp is an application as the API server has it.
type storedApp struct {
	ask     queueing.Ask
	grant   *queueing.Grant
	version int
}

// leaderProcess is an operator. The last one leads. An earlier one may not know that it no longer does.
type leaderProcess struct {
	gate *Gate
	// seen has the version of each application that this process has last seen.
	seen   map[queueing.Key]storedApp
	fenced bool
}

// leadersWorld is a queue with its applications, and the processes that lead it one after the other. Writes fail in
// every possible way.
type leadersWorld struct {
	*rand.Rand
	t       *testing.T
	client  client.WithWatch
	clock   *clocktesting.FakeClock
	apps    map[queueing.Key]*storedApp
	leaders []*leaderProcess
	// away makes the API server answer nothing. calm stops all failures.
	away, calm        bool
	number, taken     int
	fenced, reclaimed int
	log               []string
}

func newLeadersWorld(t *testing.T, seed uint64) *leadersWorld {
	t.Helper()
	scheme := runtime.NewScheme()
	must(t, v1alpha1.AddToScheme(scheme))
	queue := &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "team-a"}}
	queue.Spec.NamespaceSelector = &metav1.LabelSelector{}
	queue.Spec.Flavors = []v1alpha1.FlavorQuota{{Name: "default", Quotas: []v1alpha1.ResourceQuota{{Resource: "cpu", Nominal: *resource.NewQuantity(leaderQuota, resource.DecimalSI)}}}}
	w := &leadersWorld{Rand: rand.New(rand.NewPCG(seed, 7)), t: t, clock: clocktesting.NewFakeClock(noon), apps: map[queueing.Key]*storedApp{}}
	w.client = interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme).WithObjects(queue).WithStatusSubresource(queue).Build(), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, o ...client.GetOption) error {
			if w.away {
				return errors.New("connection refused")
			}
			return c.Get(ctx, key, obj, o...)
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, obj client.Object, patch client.Patch, o ...client.SubResourcePatchOption) error {
			return w.write(func() error { return c.SubResource(sub).Patch(ctx, obj, patch, o...) })
		},
	})
	w.lead()
	return w
}

func (w *leadersWorld) chance(p float64) bool { return w.Float64() < p }

func (w *leadersWorld) say(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf(format, args...))
}

// write executes a write that may fail, possibly after it has taken effect.
func (w *leadersWorld) write(do func() error) error {
	switch n := w.IntN(20); {
	case w.away:
		return errors.New("connection refused")
	case w.calm || n < 15:
		return do()
	case n < 17:
		return apierrors.NewForbidden(v1alpha1.GroupVersion.WithResource("sparkqueues").GroupResource(), "team-a", nil)
	case n < 18:
		w.away = true // also for the read that follows
		return errors.New("no answer")
	}
	_, w.away = do(), w.chance(0.5)
	return errors.New("no answer, and it has happened")
}

// lead starts another process, which restores the stored state. Earlier ones may continue.
func (w *leadersWorld) lead() {
	w.away = false
	g := New(Options{Client: w.client, Live: w.client, Holder: fmt.Sprint("leader-", w.number), Clock: w.clock, Log: logr.Discard(), Wake: func(queueing.Key) {}})
	w.number++
	acquired, err := g.Acquire(w.t.Context())
	for err != nil {
		w.away = false
		acquired, err = g.Acquire(w.t.Context())
	}
	var held []Holding
	var waiting []queueing.Key
	p := &leaderProcess{gate: g, seen: map[queueing.Key]storedApp{}}
	for _, key := range w.known() {
		app := w.apps[key]
		if p.seen[key] = *app; app.grant != nil {
			held = append(held, Holding{Key: key, Grant: *app.grant})
		} else {
			waiting = append(waiting, key)
		}
	}
	g.Open(acquired, held, waiting, func(key queueing.Key) bool { return w.apps[key] != nil })
	w.say("leader %d restores %d grants and %d in flight", w.number, len(held), len(acquired.InFlight()))
	w.leaders = append(w.leaders[max(0, len(w.leaders)-1):], p)
}

func (w *leadersWorld) known() []queueing.Key {
	return slices.SortedFunc(maps.Keys(w.apps), func(a, b queueing.Key) int { return strings.Compare(a.UID, b.UID) })
}

func (w *leadersWorld) arrive() {
	name := fmt.Sprintf("app-%03d", len(w.log))
	ask := piSince(noon.Add(time.Duration(len(w.log)) * time.Second))
	ask.Key.Name, ask.Key.UID, ask.Priority = name, name, w.Int32N(3)
	ask.PodSets = []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": 1000 * (1 + w.Int64N(4)), "pods": 1}}}
	w.say("%s arrives", name)
	w.apps[ask.Key] = &storedApp{ask: ask}
}

// store writes the status of an application if the process has seen its latest version. It returns an error unless the
// process knows that the status was stored.
func (w *leadersWorld) store(p *leaderProcess, key queueing.Key, change func(*storedApp)) error {
	app := w.apps[key]
	return w.write(func() error {
		if app == nil || app.version != p.seen[key].version {
			return errors.New("conflict")
		}
		change(app)
		app.version++
		p.seen[key] = *app
		return nil
	})
}

// see returns an application as a process sees it in a reconciliation. If it is gone, the process releases what it held.
func (w *leadersWorld) see(p *leaderProcess, key queueing.Key) (app storedApp, exists bool) {
	if app := w.apps[key]; app == nil {
		must(w.t, p.gate.Release(w.t.Context(), key, queueing.Release{}))
		delete(p.seen, key)
		return storedApp{}, false
	} else if _, known := p.seen[key]; !known || w.calm || w.chance(0.8) { // else the watch is late
		p.seen[key] = *app
	}
	return p.seen[key], true
}

// end ends the attempt that holds a grant.
func (w *leadersWorld) end(p *leaderProcess, key queueing.Key) {
	if w.store(p, key, func(a *storedApp) { a.grant, a.ask.Attempt = nil, a.ask.Attempt+1 }) != nil {
		return
	}
	w.say("%s ends", key.Name)
	must(w.t, p.gate.Release(w.t.Context(), key, queueing.Release{}))
	if w.calm {
		delete(w.apps, key)
	}
}

// pass does what the application controller does in a reconciliation.
func (w *leadersWorld) pass(p *leaderProcess, key queueing.Key) {
	app, exists := w.see(p, key)
	switch {
	case !exists:
	case app.grant == nil:
		w.request(p, key, app)
	default:
		p.gate.Persisted(w.t.Context(), key, *app.grant)
		p.gate.UpdateHolder(key, app.ask.Run, app.ask.Attempt, queueing.HolderState{Priority: app.ask.Priority, QueuedAt: app.ask.QueuedAt})
		if w.chance(0.3) {
			w.end(p, key)
		}
	}
}

// request asks for a waiting application, which stores the grant that it gets.
func (w *leadersWorld) request(p *leaderProcess, key queueing.Key, app storedApp) {
	verdict, err := p.gate.Sync(w.t.Context(), app.ask)
	must(w.t, err)
	switch verdict.State {
	case queueing.Evicting: // the status says so first, so that no earlier leader can use the grant any longer
		if w.store(p, key, func(*storedApp) {}) == nil {
			w.reclaimed++
			must(w.t, p.gate.Release(w.t.Context(), key, queueing.Release{}))
		}
	case queueing.Granted:
		if w.store(p, key, func(a *storedApp) { a.grant = verdict.Grant }) == nil {
			w.taken++
			w.say("%s takes its grant from %s", key.Name, p.gate.o.Holder)
			p.gate.Persisted(w.t.Context(), key, *verdict.Grant)
		}
	case queueing.Undecided, queueing.Waiting, queueing.Refused:
	}
}

// decide lets a process decide, unless it knows that it no longer leads.
func (w *leadersWorld) decide(p *leaderProcess) {
	err := p.gate.loop.cycles.run(w.t.Context())
	if err == nil && w.chance(0.2) {
		w.clock.Step(restDelay)
		err = p.gate.ledgers.empty(w.t.Context())
	}
	if errors.Is(err, errFenced) {
		w.say("%s is fenced", p.gate.o.Holder)
		p.fenced, w.fenced = true, w.fenced+1
	} else {
		must(w.t, err)
	}
}

// anyLeader returns the process that leads, or the one before it if that does not know better.
func (w *leadersWorld) anyLeader() *leaderProcess {
	if old := w.leaders[0]; !old.fenced && w.chance(0.5) {
		return old
	}
	return w.leaders[len(w.leaders)-1]
}

func (w *leadersWorld) step() {
	keys, p := w.known(), w.anyLeader()
	switch n := w.IntN(30); {
	case n < 6 && len(keys) < 30 || len(keys) == 0:
		w.arrive()
	case n < 7:
		w.lead()
	case n < 8:
		queue := &v1alpha1.SparkQueue{}
		if w.client.Get(w.t.Context(), client.ObjectKey{Name: "team-a"}, queue) == nil {
			queue.Annotations = map[string]string{"at": fmt.Sprint(len(w.log))}
			must(w.t, w.client.Update(w.t.Context(), queue))
		}
	case n < 9:
		w.away = !w.away
	case n < 10:
		key := keys[w.IntN(len(keys))]
		w.say("%s is deleted", key.Name)
		if w.apps[key].grant == nil {
			delete(w.apps, key)
		}
	case n < 14:
		w.decide(p)
	default:
		w.pass(p, keys[w.IntN(len(keys))])
	}
}

// used returns the number of cores that the applications hold according to their status.
func (w *leadersWorld) used() (cores int64) {
	for _, app := range w.apps {
		if app.grant != nil {
			cores += app.grant.PodSets[0].Requests["cpu"] / 1000
		}
	}
	return cores
}

// TestLeadersOneAfterAnother: leaders follow each other while earlier ones continue, ledgers and statuses are written
// or not, with or without an answer, and applications come and go. According to the stored statuses, no more than the
// quota is ever held, and once nothing fails, everything that fits starts.
func TestLeadersOneAfterAnother(t *testing.T) {
	t.Parallel()
	taken, fenced := 0, 0
	played := randtest.Each(t, leaderSeeds, func(seed uint64) {
		w := newLeadersWorld(t, seed)
		for range leaderSteps {
			if w.step(); w.used() > leaderQuota {
				t.Fatalf("%d cores are held; what happened:\n%s", w.used(), strings.Join(w.log, "\n"))
			}
		}
		w.calm, w.away = true, false
		last := w.leaders[len(w.leaders)-1]
		for range 60 {
			w.clock.Step(time.Second)
			w.decide(last)
			for _, key := range append(w.known(), slices.Collect(maps.Keys(last.seen))...) {
				w.pass(last, key)
			}
			if w.used() > leaderQuota {
				t.Fatalf("%d cores are held in the end; what happened:\n%s", w.used(), strings.Join(w.log, "\n"))
			}
		}
		if len(w.apps) > 0 {
			t.Fatalf("%v are left in the end; what happened:\n%s", w.known(), strings.Join(w.log, "\n"))
		}
		taken, fenced = taken+w.taken, fenced+w.fenced
	})
	if played >= leaderSeeds && (taken < 10*played || fenced < played/2) {
		t.Errorf("%d grants were taken and %d leaders fenced in %d worlds: too few to show anything", taken, fenced, played)
	}
}
