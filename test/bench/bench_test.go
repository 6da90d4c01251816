// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/bench/host"
	"github.com/sparkgate/sparkgate/test/bench/load"
)

func TestMedianAndSpread(t *testing.T) {
	t.Parallel()
	for want, values := range map[float64][]float64{2: {3, 1, 2}, 1: {1, 4}, 5: {5}} {
		if got := median(values); got != want {
			t.Errorf("the median of %v is %v, want %v", values, got, want)
		}
	}
	if got, want := spread("%.1f", []float64{3, 1, 2}), "2.0  (3.0, 1.0, 2.0)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := spread("%.1f", []float64{3}), "3.0"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestCompared: the namespace alone is compared with the phases before and after the flood together; the warm-up does
// not count.
func TestCompared(t *testing.T) {
	t.Parallel()
	n := &neighbour{phases: []phase{
		{name: warming, start: []float64{900}, took: time.Second},
		{name: aloneFirst, start: []float64{1, 2}, bare: []float64{3}, took: 2 * time.Second, busy: time.Second},
		{name: "crowded", start: []float64{50}, bare: []float64{60}, took: time.Second},
		{name: aloneLast, start: []float64{4}, bare: []float64{5}, took: 3 * time.Second, busy: 2 * time.Second},
	}}
	got := n.compared()
	var names []string
	for _, p := range got {
		names = append(names, p.name)
	}
	if diff := cmp.Diff([]string{"alone", aloneFirst, "crowded", aloneLast}, names); diff != "" {
		t.Fatalf("phases (-want +got):\n%s", diff)
	}
	if a := got[0]; !cmp.Equal(a.start, []float64{1, 2, 4}) || !cmp.Equal(a.bare, []float64{3, 5}) || a.took != 5*time.Second || a.busy != 3*time.Second {
		t.Errorf("alone is %+v", a)
	}
	if len(n.phases[1].start) != 2 {
		t.Error("the phases themselves were changed")
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	o, err := parse([]string{"-sizes", "10,300", "-parts", "writes"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{10, 300}, o.sizes); diff != "" || !o.wants(partWrites) || o.wants(partSubmit) {
		t.Errorf("got %+v (-want +got):\n%s", o, diff)
	}
	for _, args := range [][]string{{"-sizes", "1"}, {"-sizes", "many"}, {"-sizes", ""}, {"-parts", "everything"}, {"-rounds", "0"}, {"-queue", "0"}, {"-pending", "-1"}, {"more"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("%v was accepted", args)
		}
	}
}

func TestCrossing(t *testing.T) {
	t.Parallel()
	pods := host.Kind{Verb: "POST", Resource: "pods"}
	c := crossing{
		free:   journey{elapsed: 10 * time.Second, writes: host.Count{Done: host.Writes{pods: 5}}},
		narrow: journey{elapsed: 12 * time.Second, writes: host.Count{Done: host.Writes{pods: 8}}},
	}
	if c.ratio() != 1.2 || c.extra() != 3 {
		t.Errorf("ratio %v and %d writes more, want 1.2 and 3", c.ratio(), c.extra())
	}
}

// queueState returns a state of a queue whose ledger has n grants in flight.
func queueState(at time.Time, seq int64, n int) load.Event[*v1alpha1.SparkQueue] {
	queue := &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	entries, err := v1alpha1.LedgerEntries{InFlight: slices.Repeat([]v1alpha1.LedgerEntry{{Namespace: "a", Name: "pi", UID: "1"}}, n)}.Encode()
	if err != nil {
		panic(err)
	}
	queue.Status.Ledger = &v1alpha1.Ledger{Seq: seq, Entries: entries}
	return load.Event[*v1alpha1.SparkQueue]{At: at, Type: watch.Modified, Object: queue}
}

func TestTimeRunsFromTheFirstWrite(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	after := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	there := queueState(after(1), 1, 0)
	there.Type = watch.Added // the state before
	var f figures
	err := f.time(start, after(10), []load.Event[*v1alpha1.SparkQueue]{
		there, queueState(after(2), 2, 0), queueState(after(3), 3, 5), queueState(after(4), 3, 5), queueState(after(11), 4, 9),
	})
	if err != nil {
		t.Fatal(err)
	}
	if f.startup != 2*time.Second || f.elapsed != 8*time.Second || len(f.queue) != 3 {
		t.Errorf("startup %v, elapsed %v, %d states of the queue; want 2s, 8s, 3", f.startup, f.elapsed, len(f.queue))
	}
	if written, most := f.ledger(); written != 5 || most != 5 {
		t.Errorf("%d grants written, %d at once; want 5, 5: a state with the same sequence number is no write of the ledger", written, most)
	}
	if err := f.time(start, after(10), []load.Event[*v1alpha1.SparkQueue]{there}); err == nil {
		t.Error("an operator that has written nothing has a time")
	}
}
