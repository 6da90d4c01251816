// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// meterLog records its calls.
type meterLog struct {
	queues  []string
	granted []string
	cycled  []time.Duration
	broken  int
}

func (m *meterLog) Configured(queues []string) { m.queues = queues }

func (m *meterLog) Broken() { m.broken++ }

func (m *meterLog) Granted(queue string, waited time.Duration) {
	m.granted = append(m.granted, fmt.Sprint(queue, " ", waited))
}

func (m *meterLog) Cycled(took time.Duration) { m.cycled = append(m.cycled, took) }

// slowClock advances by a millisecond with each call of Now.
type slowClock struct{ *clocktesting.FakeClock }

func (c slowClock) Now() time.Time {
	defer c.Step(time.Millisecond)
	return c.FakeClock.Now()
}

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// measured returns a gate with the queue team-a, which has no limits, and a ledger.
func measured(t *testing.T, ledger *v1alpha1.Ledger) (*Gate, *meterLog, *clocktesting.FakeClock) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	queue := &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "team-a"}}
	queue.Spec.NamespaceSelector, queue.Spec.Unlimited = &metav1.LabelSelector{}, true
	queue.Status.Ledger = ledger
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(queue).WithStatusSubresource(queue).Build()
	log, clock := &meterLog{}, clocktesting.NewFakeClock(noon)
	return New(Options{
		Client: c, Live: c, Holder: "this", Clock: clock, Log: logr.Discard(), Wake: func(queueing.Key) {}, Meter: log,
	}), log, clock
}

var pi = queueing.Key{Namespace: "default", Name: "pi", UID: "pi"}

func piSince(queuedAt time.Time) queueing.Ask {
	return queueing.Ask{Key: pi, Run: 1, Attempt: 2, Queue: "team-a", QueuedAt: queuedAt, NamespaceLabels: map[string]string{},
		PodSets: []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": 200, "pods": 1}}}}
}

// inLedger returns a ledger with a grant for the ask that another process has made.
func inLedger(ask queueing.Ask) *v1alpha1.Ledger {
	grant := queueing.Grant{Run: ask.Run, Attempt: ask.Attempt, Gate: "Embedded", Queue: ask.Queue, PodSets: []queueing.PodSetGrant{
		{Name: "driver", Flavor: "default", Count: 1, Requests: ask.PodSets[0].Requests},
	}}
	entries, err := v1alpha1.LedgerEntries{InFlight: []v1alpha1.LedgerEntry{
		{Namespace: ask.Key.Namespace, Name: ask.Key.Name, UID: ask.Key.UID, Grant: *convert.ToAPI(grant)},
	}}.Encode()
	if err != nil {
		panic(err)
	}
	return &v1alpha1.Ledger{Holder: "another", Epoch: 1, Seq: 1, Entries: entries}
}

// A wait is measured once, when the application has taken its grant, and only by the process that made the grant.
func TestWaitIsMeasuredOnce(t *testing.T) {
	t.Parallel()
	early := noon.Add(-2 * time.Hour)
	tests := map[string]struct {
		queuedAt time.Time
		moves    time.Time // to a later place in line, with its second ask
		ledger   *v1alpha1.Ledger
		expected []queueing.Key
		confirms []int64 // attempts
		want     []string
	}{
		"a new one":                        {queuedAt: noon, confirms: []int64{2}, want: []string{"team-a 1m30s"}},
		"confirmed again":                  {queuedAt: noon, confirms: []int64{2, 2}, want: []string{"team-a 1m30s"}},
		"one that keeps an earlier place":  {queuedAt: early, confirms: []int64{2}, want: []string{"team-a 1m30s"}},
		"one that waits since a restart":   {queuedAt: early, expected: []queueing.Key{pi}, confirms: []int64{2}, want: []string{"team-a 2h1m30s"}},
		"its clock goes ahead":             {queuedAt: noon.Add(time.Hour), expected: []queueing.Key{pi}, confirms: []int64{2}, want: []string{"team-a 0s"}},
		"a later place in line":            {queuedAt: early, moves: noon.Add(45 * time.Second), confirms: []int64{2}, want: []string{"team-a 45s"}},
		"a later place before it came":     {queuedAt: early, moves: early.Add(time.Minute), confirms: []int64{2}, want: []string{"team-a 1m30s"}},
		"not taken yet":                    {queuedAt: noon},
		"an earlier attempt":               {queuedAt: noon, confirms: []int64{1}},
		"decided before the restart":       {queuedAt: early, ledger: inLedger(piSince(early)), confirms: []int64{2}},
		"nothing in flight at the restart": {queuedAt: noon, ledger: &v1alpha1.Ledger{Holder: "another", Epoch: 1, Seq: 1}, confirms: []int64{2}, want: []string{"team-a 1m30s"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, log, clock := measured(t, tc.ledger)
			acquired, err := r.Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			r.Open(acquired, nil, tc.expected, func(queueing.Key) bool { return true })
			for _, at := range []time.Time{tc.queuedAt, later(tc.queuedAt, tc.moves)} {
				if _, err := r.Sync(t.Context(), piSince(at)); err != nil {
					t.Fatal(err)
				}
				clock.Step(45 * time.Second)
			}
			if err := r.loop.cycles.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			clock.Step(time.Minute)
			for _, attempt := range tc.confirms {
				r.Persisted(t.Context(), pi, queueing.Grant{Run: 1, Attempt: attempt})
			}
			if diff := cmp.Diff(tc.want, log.granted); diff != "" {
				t.Errorf("waits (-want +got):\n%s", diff)
			}
		})
	}
}

// An ask with a negative number is refused, counted and logged once, however often it is repeated. The next such ask is
// counted again.
func TestBrokenAsksAreCountedOnce(t *testing.T) {
	t.Parallel()
	r, meter, _ := measured(t, nil)
	logged := 0
	r.o.Log = funcr.New(func(string, string) { logged++ }, funcr.Options{})
	ask := piSince(noon)
	ask.PodSets[0].Requests["memory"] = -8
	for range 3 {
		if _, err := r.Sync(t.Context(), ask); err != nil {
			t.Fatal(err)
		}
	}
	if meter.broken != 1 || logged != 1 {
		t.Errorf("counted %d and logged %d times, want once each", meter.broken, logged)
	}
	ask.Attempt++
	if verdict, err := r.Sync(t.Context(), ask); err != nil || verdict.State == queueing.Granted {
		t.Errorf("got %v, %v", verdict, err)
	}
	if err := r.loop.cycles.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if verdict, err := r.Sync(t.Context(), ask); err != nil || verdict.State != queueing.Refused {
		t.Errorf("got %v, %v, want a refusal", verdict, err)
	}
	if meter.broken != 2 || logged != 2 {
		t.Errorf("counted %d and logged %d times, want twice each", meter.broken, logged)
	}
}

// The duration of a cycle is measured with the given clock.
func TestCyclesAreMeasured(t *testing.T) {
	t.Parallel()
	r, log, clock := measured(t, nil)
	r.o.Clock = slowClock{clock}
	if err := r.loop.cycles.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]time.Duration{time.Millisecond}, log.cycled); diff != "" {
		t.Errorf("cycles (-want +got):\n%s", diff)
	}
	r.putInFlight(batch)
	if err := r.loop.cycles.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(log.cycled) != 1 {
		t.Errorf("%d cycles, although nothing can be granted", len(log.cycled))
	}
}
