// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/bench/host"
	"github.com/sparkgate/sparkgate/test/bench/load"
)

const (
	// crowdedName is the queue of the namespace that floods, and calmName that of the other one.
	crowdedName, calmName = "crowded", "calm"
	// crowdedRoom is the number of applications of the flood that fit into its quota.
	crowdedRoom = 50
	// beat is the interval at which the other namespace applies one application, whether or not the one before has
	// started.
	beat = 500 * time.Millisecond
	// calmFor is how long it does so before and after the flood, and while the flood waits: a 99th percentile needs
	// more than a hundred values.
	calmFor = time.Minute
	// warmFor is how long it does so before anything counts: the first applications bear the one-time costs of an
	// operator and an API server.
	warmFor = 10 * time.Second
	// patience is how long the drivers of the other namespace may take to start: there are no nodes.
	patience = 2 * time.Hour
)

// The phases that are compared. The namespace is alone before and after the flood; those two phases together are the
// baseline, so that it shows if the machine was busier at one end of the measurement.
const (
	warming    = "warming up"
	aloneFirst = "alone, before"
	aloneLast  = "alone, after"
)

// phase is what the namespace that does not flood measured in a while, in milliseconds.
type phase struct {
	name string
	// start are the times from apply to the driver pod, as a watch shows them.
	start []float64
	// bare are the times of single creates of a ConfigMap by a bare client in the same namespace at the same time.
	bare []float64
	took time.Duration
	// busy is the total CPU time of the machine during the phase, for all processes.
	busy time.Duration
}

// load returns the share of the machine's CPUs that was busy, in percent.
func (p *phase) load() float64 {
	return 100 * p.busy.Seconds() / (p.took.Seconds() * float64(runtime.NumCPU()))
}

// neighbour applies one application at every beat, and watches for the drivers.
type neighbour struct {
	b         *bench
	namespace string
	pods      *load.History[*corev1.Pod]
	next      int
	applied   map[string]time.Time
	phases    []phase
	// of has the phase in which each application was applied.
	of map[string]int
}

// measureContention has one namespace apply, and later delete, many applications at once, and measures the effect on
// another namespace.
func (b *bench) measureContention(ctx context.Context) (err error) {
	b.progress("one namespace with %d applications beside another one", b.flood)
	if err := errors.Join(b.user.QueueFor(ctx, crowdedName, crowdedRoom), b.user.Queue(ctx, calmName)); err != nil {
		return err
	}
	crowd, err := b.user.Namespace(ctx)
	if err != nil {
		return err
	}
	n, err := b.newNeighbour(ctx)
	if err != nil {
		return err
	}
	operator, err := host.StartOperator(b.program, b.server)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	if err := operator.WaitIdle(ctx); err != nil {
		return err
	}
	counted, err := host.CountWrites(ctx, b.server.REST())
	if err != nil {
		return err
	}
	if err := b.flooded(ctx, n, crowd); err != nil {
		return err
	}
	now, err := host.CountWrites(ctx, b.server.REST())
	if err != nil {
		return err
	}
	b.printContention(n, now.Minus(counted))
	return errors.Join(operator.Stop(), b.user.Clear(ctx, n.namespace))
}

// flooded runs the phases.
func (b *bench) flooded(ctx context.Context, n *neighbour, crowd string) error {
	progress, err := load.Track(ctx, b.user.Client, crowd)
	if err != nil {
		return err
	}
	defer progress.Stop()
	for _, phase := range []struct {
		name string
		do   func(ctx context.Context) error
	}{
		{warming, pause(warmFor)},
		{aloneFirst, pause(calmFor)},
		{"while the flood comes", func(ctx context.Context) error {
			_, err := b.user.ApplyFrom(ctx, crowd, load.Range{N: b.flood, Executors: 2, Queue: crowdedName})
			return err
		}},
		{"until all of it is told why it waits", func(ctx context.Context) error {
			_, err := progress.Wait(ctx, v1alpha1.QueuedReason, b.flood-crowdedRoom)
			return err
		}},
		{"while it waits", pause(calmFor)},
		{"while it is deleted", func(ctx context.Context) error { return b.deleteAll(ctx, crowd) }},
		{aloneLast, pause(calmFor)},
	} {
		b.progress("%s", phase.name)
		limited, cancel := context.WithTimeoutCause(ctx, 30*time.Minute, errors.New("not within 30 minutes"))
		err := n.during(limited, phase.name, phase.do)
		cancel()
		if err != nil {
			return fmt.Errorf("%s: %w", phase.name, err)
		}
	}
	return n.collect(ctx)
}

// deleteAll deletes the applications of a namespace, and returns once they are gone. It repeats the request, because
// the API server ends a request after a minute, which is not enough for many applications.
func (b *bench) deleteAll(ctx context.Context, namespace string) error {
	for {
		_ = b.user.Client.DeleteAllOf(ctx, &v1alpha1.SparkApplication{}, client.InNamespace(namespace))
		left, err := b.user.Targets(ctx, namespace, "")
		if err != nil || len(left) == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d applications are left: %w", len(left), context.Cause(ctx))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func pause(d time.Duration) func(context.Context) error {
	return func(ctx context.Context) error { return sleepFor(ctx, d) }
}

func (b *bench) newNeighbour(ctx context.Context) (*neighbour, error) {
	n := &neighbour{b: b, applied: map[string]time.Time{}, of: map[string]int{}}
	var err error
	if n.namespace, err = b.user.Namespace(ctx); err != nil {
		return nil, err
	}
	n.pods, err = load.Follow[*corev1.Pod](ctx, b.user.Client, &corev1.PodList{}, client.InNamespace(n.namespace))
	return n, err
}

// during applies one application at every beat while do runs.
func (n *neighbour) during(ctx context.Context, name string, do func(ctx context.Context) error) error {
	n.phases = append(n.phases, phase{name: name})
	before, err := host.MachineCPU()
	if err != nil {
		return err
	}
	began, done := time.Now(), make(chan error, 1)
	go func() { done <- do(ctx) }()
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		if err := n.apply(ctx); err != nil {
			return err
		}
		select {
		case err := <-done:
			p := &n.phases[len(n.phases)-1]
			p.took = time.Since(began)
			after, failed := host.MachineCPU()
			p.busy = after - before
			return errors.Join(err, failed)
		case <-ticker.C:
		}
	}
}

// apply creates a ConfigMap, for comparison, and then an application.
func (n *neighbour) apply(ctx context.Context) error {
	n.next++
	at := len(n.phases) - 1
	probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: n.namespace, Name: fmt.Sprintf("probe-%06d", n.next)}}
	began := time.Now()
	if err := n.b.user.Client.Create(ctx, probe); err != nil {
		return fmt.Errorf("make a config map: %w", err)
	}
	n.phases[at].bare = append(n.phases[at].bare, milliseconds(time.Since(began)))
	app := load.Application(n.namespace, n.next, 2)
	app.Spec.Timeouts = &v1alpha1.Timeouts{DriverStart: &metav1.Duration{Duration: patience}}
	app.Spec.Queue = &v1alpha1.QueueReference{Name: calmName}
	n.applied[app.Name], n.of[app.Name] = time.Now(), at
	if err := n.b.user.Client.Create(ctx, app); err != nil {
		return fmt.Errorf("apply application %s: %w", app.Name, err)
	}
	return nil
}

// collect waits for the drivers of everything that was applied, and sorts their times into the phases.
func (n *neighbour) collect(ctx context.Context) error {
	limited, cancel := context.WithTimeoutCause(ctx, 5*time.Minute, errors.New("not within 5 minutes"))
	defer cancel()
	for {
		stages, err := n.b.user.Stages(limited, n.namespace)
		if err != nil {
			return err
		}
		if stages[v1alpha1.StartingReason]+stages[v1alpha1.SubmittingReason] == len(n.applied) {
			break
		}
		select {
		case <-limited.Done():
			return fmt.Errorf("applications of the other namespace are %v: %w", stages, context.Cause(limited))
		case <-time.After(500 * time.Millisecond):
		}
	}
	// Wait until the watch of the pods has caught up.
	if err := sleepFor(ctx, time.Second); err != nil {
		return err
	}
	for _, e := range n.pods.Stop() {
		if e.Type != watch.Added || len(e.Object.OwnerReferences) == 0 {
			continue
		}
		name := e.Object.OwnerReferences[0].Name
		if applied, known := n.applied[name]; known {
			at := n.of[name]
			n.phases[at].start = append(n.phases[at].start, milliseconds(e.At.Sub(applied)))
		}
	}
	return nil
}

func sleepFor(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// quantile returns the value that the given share of the values does not exceed.
func quantile(values []float64, share float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(share*float64(len(sorted)-1)+0.5)]
}

func (b *bench) printContention(n *neighbour, writes host.Count) {
	t := newTable(b, fmt.Sprintf("%d applications at once in one namespace, quota for %d; another one applies one every %s to a queue of its own", b.flood, crowdedRoom, beat))
	t.row("", "samples", "apply to driver, ms: median, p99", "ratio", "one bare create, ms: median, p99", "ratio", "seconds", "CPUs busy")
	phases := n.compared()
	alone := phases[0]
	for _, p := range phases {
		t.row(p.name, fmt.Sprint(len(p.start)), fmt.Sprintf("%.0f, %.0f", median(p.start), quantile(p.start, 0.99)), ratios(p.start, alone.start),
			fmt.Sprintf("%.1f, %.1f", median(p.bare), quantile(p.bare, 0.99)), ratios(p.bare, alone.bare), fmt.Sprintf("%.0f", p.took.Seconds()),
			fmt.Sprintf("%.0f%%", p.load()))
	}
	t.end()
	t = newTable(b, "")
	t.row("writes in that time, of everybody", fmt.Sprint(writes.Done.Total()))
	for _, kind := range writes.Done.Kinds()[:min(8, len(writes.Done))] {
		t.row("  "+kind.String(), fmt.Sprint(writes.Done[kind]))
	}
	t.end()
}

// compared returns the phases that count, after the baseline: the namespace alone, before and after the flood together.
func (n *neighbour) compared() []phase {
	alone, phases := phase{name: "alone"}, []phase{{}}
	for _, p := range n.phases {
		switch p.name {
		case warming:
			continue
		case aloneFirst, aloneLast:
			alone.start, alone.bare = append(alone.start, p.start...), append(alone.bare, p.bare...)
			alone.took, alone.busy = alone.took+p.took, alone.busy+p.busy
		}
		phases = append(phases, p)
	}
	phases[0] = alone
	return phases
}

// ratios formats the ratios of the medians and of the 99th percentiles.
func ratios(values, alone []float64) string {
	return fmt.Sprintf("%.1f, %.1f", median(values)/median(alone), quantile(values, 0.99)/quantile(alone, 0.99))
}
