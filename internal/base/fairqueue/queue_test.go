// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package fairqueue

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sparkgate/sparkgate/internal/testing/randtest"
)

// laneName returns the text before the slash.
func laneName(item string) string {
	name, _, _ := strings.Cut(item, "/")
	return name
}

// model is the required behaviour of a queue, described item by item.
type model struct {
	t     *testing.T
	seed  uint64
	q     *queue[string]
	dirty map[string]bool
	busy  map[string]bool
	// before has, by lane without a worker, how many Gets may come before its own.
	before map[string]int
}

func (m *model) lanesOf(items map[string]bool) map[string]int {
	n := map[string]int{}
	for item := range items {
		n[laneName(item)]++
	}
	return n
}

// waiting returns the items that can be handed out: those that are dirty and not with a worker.
func (m *model) waiting() map[string]bool {
	waiting := map[string]bool{}
	for item := range m.dirty {
		if !m.busy[item] {
			waiting[item] = true
		}
	}
	return waiting
}

func (m *model) add(item string) {
	m.dirty[item] = true
	m.q.Add(item)
	m.count()
}

func (m *model) done(item string) {
	delete(m.busy, item)
	m.q.Done(item)
	m.count()
}

// count starts to count for lanes that wait and have no worker.
func (m *model) count() {
	waiting, busy := m.lanesOf(m.waiting()), m.lanesOf(m.busy)
	for lane := range waiting {
		if _, counted := m.before[lane]; !counted && busy[lane] == 0 {
			m.before[lane] = len(waiting) - 1
		}
	}
}

// get takes an item that is due, and reports whether there was one.
func (m *model) get() bool {
	waiting, busy := m.lanesOf(m.waiting()), m.lanesOf(m.busy)
	free := false
	for lane := range waiting {
		free = free || busy[lane] < m.q.lanes.most()
	}
	if got := m.q.lanes.next() != nil; got != free {
		m.t.Fatalf("seed %d: something can be handed out: %t; want %t (waiting %v, busy %v)", m.seed, got, free, waiting, busy)
	}
	if !free || len(m.busy) == m.q.lanes.workers {
		return false
	}
	item, _ := m.q.Get()
	lane := laneName(item)
	switch {
	case !m.dirty[item]:
		m.t.Fatalf("seed %d: %s was handed out and nobody had added it", m.seed, item)
	case m.busy[item]:
		m.t.Fatalf("seed %d: %s was handed out twice", m.seed, item)
	case busy[lane] >= m.q.lanes.most():
		m.t.Fatalf("seed %d: lane %s has %d of %d workers and got another", m.seed, lane, busy[lane], m.q.lanes.workers)
	}
	delete(m.dirty, item)
	m.busy[item] = true
	delete(m.before, lane)
	for other := range m.before {
		if m.before[other]--; m.before[other] < 0 {
			m.t.Fatalf("seed %d: lane %s waits with nothing worked on, and more than one item of another lane went before it", m.seed, other)
		}
	}
	m.count()
	return true
}

// TestQueueIsFairAndLosesNothing: in whatever order items are added, taken and done, every added item is handed out
// after that, none is with two workers, none waits twice, no lane has more workers than it may, and a lane without a
// worker waits for at most one item of each other lane.
func TestQueueIsFairAndLosesNothing(t *testing.T) {
	t.Parallel()
	randtest.Each(t, 2000, func(seed uint64) {
		random := rand.New(rand.NewPCG(seed, 0))
		workers := 1 + random.IntN(16)
		q := newQueue(Options{Workers: workers}, laneName)
		defer q.ShutDown()
		m := &model{t: t, seed: seed, q: q, dirty: map[string]bool{}, busy: map[string]bool{}, before: map[string]int{}}
		lanes := 1 + random.IntN(6)
		for range 200 {
			switch random.IntN(3) {
			// The first lane is greedy.
			case 0:
				lane := max(0, random.IntN(2*lanes)-lanes)
				m.add(fmt.Sprintf("%d/%d", lane, random.IntN(8)))
			case 1:
				m.get()
			case 2:
				for item := range m.busy {
					m.done(item)
					break
				}
			}
			if q.Len() != len(m.waiting()) {
				t.Fatalf("seed %d: %d items wait; want %d", seed, q.Len(), len(m.waiting()))
			}
		}
		for m.get() || len(m.busy) > 0 {
			for item := range m.busy {
				m.done(item)
				break
			}
		}
		if len(m.dirty) > 0 || q.Len() > 0 || len(q.lanes.by) > 0 {
			t.Fatalf("seed %d: left behind: %v, %d wait, %d lanes", seed, m.dirty, q.Len(), len(q.lanes.by))
		}
	})
}

// TestOneNamespaceLeavesWorkersToOthers: a namespace with a thousand items whose work never ends occupies a quarter of the workers, and
// others are served by the rest.
func TestOneNamespaceLeavesWorkersToOthers(t *testing.T) {
	t.Parallel()
	q := newQueue(Options{Workers: 16}, laneName)
	for i := range 1000 {
		q.Add(fmt.Sprintf("greedy/%d", i))
	}
	for i := range 4 {
		if item, _ := q.Get(); laneName(item) != "greedy" {
			t.Fatalf("item %d is %s", i, item)
		}
	}
	if q.lanes.next() != nil {
		t.Fatal("a namespace got more than a quarter of the workers")
	}
	next := make(chan string)
	go func() {
		for {
			item, shutdown := q.Get()
			if shutdown {
				close(next)
				return
			}
			next <- item
		}
	}()
	for i := range 20 {
		item := fmt.Sprintf("other/%d", i)
		q.Add(item)
		if got := <-next; got != item {
			t.Fatalf("got %s; want %s", got, item)
		}
		q.Done(item)
	}
	q.Done("greedy/0") // makes place for the next one
	if got := <-next; got != "greedy/4" {
		t.Fatalf("got %s; want greedy/4", got)
	}
	q.ShutDown()
	for item := "greedy/4"; item != ""; item = <-next {
		q.Done(item)
	}
}

// TestSharesAreEqual: with work in every namespace, none has more workers than an equal share.
func TestSharesAreEqual(t *testing.T) {
	t.Parallel()
	q := newQueue(Options{Workers: 16}, laneName)
	defer q.ShutDown()
	for lane := range 4 {
		for i := range 100 {
			q.Add(fmt.Sprintf("%d/%d", lane, i))
		}
	}
	busy := map[string]int{}
	for range 16 {
		item, _ := q.Get()
		busy[laneName(item)]++
	}
	for lane, n := range busy {
		if n != 4 {
			t.Errorf("lane %s has %d of 16 workers; want 4 (%v)", lane, n, busy)
		}
	}
}

// TestShutDown: items that wait are still handed out, none can be added, workers that wait are woken, and with a drain
// the call returns only once no item is in work.
func TestShutDown(t *testing.T) {
	t.Parallel()
	q := newQueue(Options{Workers: 2}, laneName)
	q.Add("a/1")
	q.Add("a/2")
	item, _ := q.Get()
	drained := make(chan struct{})
	go func() {
		q.ShutDownWithDrain()
		close(drained)
	}()
	for !q.ShuttingDown() {
		time.Sleep(time.Millisecond)
	}
	q.Add("a/3")
	select {
	case <-drained:
		t.Fatal("drained while something is worked on")
	default:
	}
	q.Done(item)
	if item, shutdown := q.Get(); item != "a/2" || shutdown {
		t.Fatalf("got %q, shutdown %t; want what waited", item, shutdown)
	}
	q.Done("a/2")
	<-drained
	if item, shutdown := q.Get(); !shutdown {
		t.Fatalf("got %q of a queue that is shut down", item)
	}
}

// TestNobodyWorksOnTheSameTwice: many workers at once, under the race detector: no item is with two of them, and each
// is processed after it was last added.
func TestNobodyWorksOnTheSameTwice(t *testing.T) {
	t.Parallel()
	const workers, lanes, items, rounds = 16, 5, 10, 20
	q := newQueue(Options{Workers: workers}, laneName)
	var with, added, worked [lanes * items]atomic.Int64
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for {
				item, shutdown := q.Get()
				if shutdown {
					return
				}
				var lane, i int
				_, _ = fmt.Sscanf(item, "%d/%d", &lane, &i)
				at := lane*items + i
				seen := added[at].Load()
				if with[at].Add(1) != 1 {
					t.Errorf("%s is with two workers", item)
				}
				worked[at].Store(seen)
				with[at].Add(-1)
				q.Done(item)
			}
		})
	}
	for round := range rounds {
		for at := range lanes * items {
			added[at].Store(int64(round + 1))
			q.Add(fmt.Sprintf("%d/%d", at/items, at%items))
		}
	}
	q.ShutDown()
	running.Wait()
	for at := range worked {
		if worked[at].Load() != rounds {
			t.Errorf("item %d was worked on in round %d last; want %d", at, worked[at].Load(), rounds)
		}
	}
}

// TestDelays: a request that is added for later comes then, and one that fails comes after the pause of its limiter.
func TestDelays(t *testing.T) {
	t.Parallel()
	clock := testingclock.NewFakeClock(time.Unix(1_700_000_000, 0))
	q := NewQueue(Options{Workers: 4, Clock: clock, Limiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](time.Second, time.Minute)})
	defer q.ShutDown()
	request := func(name string) reconcile.Request {
		return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "a", Name: name}}
	}
	q.AddAfter(request("later"), 2*time.Second)
	q.AddRateLimited(request("failed"))
	if q.Len() != 0 {
		t.Fatalf("%d requests wait before their time", q.Len())
	}
	began := clock.Now()
	for i, want := range []string{"failed", "later"} {
		// The queue sets its timer when it processes the item.
		for q.Len() == 0 {
			clock.Step(100 * time.Millisecond)
			time.Sleep(time.Millisecond)
		}
		got, _ := q.Get()
		if due := time.Duration(i+1) * time.Second; got != request(want) || clock.Since(began) < due {
			t.Fatalf("got %s after %s; want %s after %s", got, clock.Since(began), want, due)
		}
		q.Done(got)
	}
	if n := q.NumRequeues(request("failed")); n != 1 {
		t.Errorf("%d requeues; want 1", n)
	}
}

// TestNamespaceOf: a request without a namespace is for the namespace of that name.
func TestNamespaceOf(t *testing.T) {
	t.Parallel()
	for want, name := range map[string]types.NamespacedName{"a": {Namespace: "a", Name: "x"}, "b": {Name: "b"}} {
		if got := namespaceOf(reconcile.Request{NamespacedName: name}); got != want {
			t.Errorf("%s counts for %q; want %q", name, got, want)
		}
	}
}
