// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
)

// benchAsk is the i-th ask of a benchmark, with one of that many shapes.
func benchAsk(i, shapes int, queue string) queueing.Ask {
	requests := queueing.Resources{"cpu": int64(1000 + i%shapes), "memory": 896 << 20, "pods": 1}
	name := fmt.Sprintf("application-%06d", i)
	return queueing.Ask{
		Key: queueing.Key{Namespace: "default", Name: name, UID: name}, Run: 1, Attempt: 1, Queue: queue,
		QueuedAt: epoch.Add(time.Duration(i) * time.Second), NamespaceLabels: map[string]string{"team": "a"},
		PodSets: []queueing.PodSet{
			{Name: "driver", Count: 1, Requests: requests},
			{Name: "executor", Count: 2, Requests: requests},
		},
	}
}

// benchEngine returns an engine with one queue below a root. It has quota for 100 asks, which are granted, and further
// asks wait.
func benchEngine(b *testing.B, waiting, shapes int) *Engine {
	b.Helper()
	e := engineWith(b, room100, "")
	for i := range 100 + waiting {
		e.Submit(benchAsk(i, shapes, "team-a"))
	}
	e.Cycle(0)
	return e
}

// kinds are the kinds of waiting asks: all alike, or no two alike.
var kinds = map[string]func(waiting int) int{"alike": func(int) int { return 1 }, "different": func(waiting int) int { return 200 + waiting }}

// BenchmarkCycle measures a cycle over a full queue in which something has changed but no ask fits.
func BenchmarkCycle(b *testing.B) {
	for name, shapes := range kinds {
		for _, waiting := range []int{1000, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", name, waiting), func(b *testing.B) {
				e := benchEngine(b, waiting, shapes(waiting))
				root := e.hierarchy.Queues["team-a"].Tree
				b.ReportAllocs()
				b.ResetTimer()
				for range b.N {
					root.Dirty = true
					e.Cycle(0)
				}
			})
		}
	}
}

// BenchmarkTurn measures the end of one application: its release, the cycle that admits the next one, and the ask of
// its successor.
func BenchmarkTurn(b *testing.B) {
	for name, shapes := range kinds {
		for _, waiting := range []int{1000, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", name, waiting), func(b *testing.B) {
				e := benchEngine(b, waiting, shapes(waiting))
				b.ReportAllocs()
				b.ResetTimer()
				granted := 0
				for i := range b.N {
					e.Release(benchAsk(i, 1, "").Key)
					granted += len(e.Cycle(0))
					e.Submit(benchAsk(100+waiting+i, shapes(waiting), "team-a"))
					e.Changed()
				}
				b.ReportMetric(float64(granted)/b.Elapsed().Seconds(), "admissions/s")
			})
		}
	}
}

// turns plays the ends of applications: the one that has held its quota longest ends, the next ones are admitted, and
// one more asks in the same queue.
type turns struct {
	engine *Engine
	held   []state.Decision
	// next is the number of the next ask, and shapes the number of different asks.
	next, shapes int
}

// play ends one application, and returns how many were admitted.
func (t *turns) play() int {
	ended := t.held[0]
	t.engine.Release(ended.Key)
	granted := t.engine.Cycle(0)
	t.held = append(t.held[1:], granted...)
	t.engine.Submit(benchAsk(t.next, t.shapes, ended.Grant.Queue))
	t.next++
	t.engine.Changed()
	return len(granted)
}

// newTurns submits that many asks to the queues in turn, and admits those that fit.
func newTurns(tb testing.TB, config string, queues []string, asks int) *turns {
	tb.Helper()
	t := &turns{engine: engineWith(tb, config, ""), next: asks, shapes: 10}
	for i := range asks {
		t.engine.Submit(benchAsk(i, t.shapes, queues[i%len(queues)]))
	}
	t.held = t.engine.Cycle(0)
	t.engine.Changed()
	return t
}

// room100 is a tree with quota for 100 asks.
const room100 = "root\nteam-a in=root cpu=330 memory=1Ti"

// BenchmarkForest measures a busy cluster: 30 queues in 5 trees, in each of which 10 applications hold quota, and
// 15,000 wait.
func BenchmarkForest(b *testing.B) {
	const roots, leaves, waiting = 5, 6, 15_000
	var config strings.Builder
	var queues []string
	for r := range roots {
		fmt.Fprintf(&config, "root-%d\n", r)
		for l := range leaves {
			name := fmt.Sprintf("team-%d-%d", r, l)
			fmt.Fprintf(&config, "%s in=root-%d cpu=33 memory=1Ti\n", name, r)
			queues = append(queues, name)
		}
	}
	t := newTurns(b, config.String(), queues, 10*roots*leaves+waiting)
	b.ReportAllocs()
	granted := 0
	for b.Loop() {
		granted += t.play()
	}
	b.ReportMetric(float64(granted)/b.Elapsed().Seconds(), "admissions/s")
}

// BenchmarkDecision measures the end of one application with few and with many waiting ones, and reports the ratio to
// 1,000 waiting ones.
func BenchmarkDecision(b *testing.B) {
	var first time.Duration
	for _, waiting := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(waiting), func(b *testing.B) {
			t := newTurns(b, room100, []string{"team-a"}, 100+waiting)
			b.ReportAllocs()
			for b.Loop() {
				t.play()
			}
			each := b.Elapsed() / time.Duration(b.N)
			if waiting == 1000 {
				first = each
			}
			if first > 0 { // else it was not asked for
				b.ReportMetric(float64(each)/float64(first), "times-1000")
			}
		})
	}
}

// TestAllocationsDoNotGrow: the allocations of a cycle depend on its grants, not on the number of waiting asks.
func TestAllocationsDoNotGrow(t *testing.T) {
	count := func(waiting int) (idle, busy float64) {
		turns := newTurns(t, room100, []string{"team-a"}, 100+waiting)
		root := turns.engine.hierarchy.Queues["team-a"].Tree
		idle = testing.AllocsPerRun(100, func() {
			root.Dirty = true
			turns.engine.Cycle(0)
		})
		return idle, testing.AllocsPerRun(100, func() { turns.play() })
	}
	fewIdle, fewBusy := count(500)
	manyIdle, manyBusy := count(10_000)
	if manyIdle > fewIdle+1 || manyBusy > fewBusy+2 { // a map or a slice may grow at any time
		t.Errorf("with 500 who wait a cycle that grants nothing allocates %v times, one that grants %v; with 10,000 %v and %v",
			fewIdle, fewBusy, manyIdle, manyBusy)
	}
}

// BenchmarkAdmitAll admits all waiting asks in one cycle, in one queue or in many.
func BenchmarkAdmitAll(b *testing.B) {
	const waiting = 10_000
	for _, queues := range []int{1, 100, 1000} {
		b.Run(fmt.Sprintf("queues=%d", queues), func(b *testing.B) {
			config := "root cpu=1000000\n"
			for q := range queues {
				config += fmt.Sprintf("team-%d in=root cpu=10\n", q)
			}
			granted := 0
			for range b.N {
				b.StopTimer()
				e := engineWith(b, config, "")
				for i := range waiting {
					e.Submit(benchAsk(i, 1, fmt.Sprintf("team-%d", i%queues)))
				}
				b.StartTimer()
				granted += len(e.Cycle(0))
			}
			b.ReportMetric(float64(granted)/b.Elapsed().Seconds(), "admissions/s")
		})
	}
}

func BenchmarkSubmit(b *testing.B) {
	b.Run("new", func(b *testing.B) {
		e := engineWith(b, "team-a cpu=1", "")
		b.ReportAllocs()
		for i := range b.N {
			e.Submit(benchAsk(i, 1, "team-a"))
		}
	})
	b.Run("again", func(b *testing.B) {
		e := engineWith(b, "team-a cpu=1", "")
		ask := benchAsk(1, 1, "team-a")
		b.ReportAllocs()
		for range b.N {
			e.Submit(ask)
		}
	})
}

// BenchmarkSetQueues changes the configuration while 100 applications run and 10,000 wait.
func BenchmarkSetQueues(b *testing.B) {
	e := benchEngine(b, 10_000, 3)
	queues := queuesOf(b, "root\nteam-a in=root cpu=330 memory=1Ti")
	b.ResetTimer()
	for range b.N {
		e.SetQueues(queues)
		e.Cycle(0)
	}
}

// BenchmarkStates reads the state of 1,000 queues with 10,000 waiting applications.
func BenchmarkStates(b *testing.B) {
	config := "root cpu=1\n"
	for q := range 1000 {
		config += fmt.Sprintf("team-%d in=root\n", q)
	}
	e := engineWith(b, config, "")
	for i := range 10_000 {
		e.Submit(benchAsk(i, 1, fmt.Sprintf("team-%d", i%1000)))
	}
	e.Cycle(0)
	b.ResetTimer()
	for range b.N {
		e.Queues().States()
	}
}

// BenchmarkMemory reports the memory of one, and of 10,000, waiting or granted applications, including the strings of
// their keys and the maps of their asks.
func BenchmarkMemory(b *testing.B) {
	const count = 20_000
	for name, config := range map[string]string{"waiting": "team-a cpu=3", "granted": "team-a"} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				e := engineWith(b, config, "")
				for i := range count {
					e.Submit(benchAsk(i, 1, "team-a"))
				}
				for _, d := range e.Cycle(0) {
					e.Confirm(d.Key, 1, 1)
				}
				e.Changed()
				runtime.GC()
				runtime.ReadMemStats(&after)
				each := (float64(after.HeapAlloc) - float64(before.HeapAlloc)) / count
				b.ReportMetric(each, "B/application")
				b.ReportMetric(each*10_000/(1<<20), "MiB/10000")
				runtime.KeepAlive(e)
			}
		})
	}
}
