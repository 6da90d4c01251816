// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/bench/host"
	"github.com/sparkgate/sparkgate/test/bench/load"
)

// executorsWide is the number of executors of an application in the measurement with many executors.
const executorsWide = 100

// occupied is the memory of an idle operator, in bytes: its resident memory, and that of its Go heap.
type occupied struct{ resident, heap int64 }

// measureMemory measures the idle operator with more and more finished applications, whose driver pods are kept; then a
// new process with all of them; and then operators with running applications of many executors, and with applications
// that wait.
func (b *bench) measureMemory(ctx context.Context) error {
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return err
	}
	grown, err := b.finish(ctx, namespace)
	if err != nil {
		return err
	}
	b.progress("measuring the memory of a fresh start")
	fresh, err := b.restarted(ctx)
	if err != nil {
		return err
	}
	if err := b.user.Clear(ctx, namespace); err != nil {
		return err
	}
	wide, err := b.wideOnes(ctx)
	if err != nil {
		return err
	}
	b.printMemory(grown, fresh, wide)
	return b.measurePending(ctx)
}

// finish runs applications to their end in two steps, and measures before, between and after.
func (b *bench) finish(ctx context.Context, namespace string) (grown []occupied, err error) {
	node, err := load.StartNode(ctx, b.server.Config, namespace, load.Script{RunFor: time.Millisecond})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, node.Stop()) }()
	operator, err := host.StartOperator(b.program, b.server)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	return b.heaps(ctx, operator, func(i int) error {
		b.progress("running %d applications to their end, %d of 2", b.finished, i+1)
		if _, err := b.user.ApplyFrom(ctx, namespace, load.Range{First: i * b.finished, N: b.finished, Executors: 2}); err != nil {
			return err
		}
		return b.await(ctx, operator, namespace, v1alpha1.SucceededReason, (i+1)*b.finished)
	})
}

// heaps measures before, between and after two steps, in each of which heap creates applications.
func (b *bench) heaps(ctx context.Context, operator *host.Operator, heap func(i int) error) (grown []occupied, err error) {
	for i := range 3 {
		if i > 0 {
			if err := heap(i - 1); err != nil {
				return nil, err
			}
		}
		m, err := b.atRest(ctx, operator)
		if err != nil {
			return nil, err
		}
		grown = append(grown, m)
	}
	return grown, nil
}

// restarted measures a new operator that finds all existing applications.
func (b *bench) restarted(ctx context.Context) (m occupied, err error) {
	operator, err := host.StartOperator(b.program, b.server)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	return b.atRest(ctx, operator)
}

// wideOnes measures before, between and after the start of two groups of applications with many executors.
func (b *bench) wideOnes(ctx context.Context) (grown []occupied, err error) {
	if b.wide == 0 {
		return nil, nil
	}
	b.progress("running twice %d applications with %d executors", b.wide, executorsWide)
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return nil, err
	}
	node, err := load.StartNode(ctx, b.server.Config, namespace, load.Script{Executors: executorsWide})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, node.Stop()) }()
	operator, err := host.StartOperator(b.program, b.server)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	grown, err = b.heaps(ctx, operator, func(i int) error {
		if _, err := b.user.ApplyFrom(ctx, namespace, load.Range{First: i * b.wide, N: b.wide, Executors: executorsWide}); err != nil {
			return err
		}
		return b.awaitExecutors(ctx, namespace, (i+1)*b.wide*executorsWide)
	})
	if err != nil {
		return nil, err
	}
	if b.heap != "" {
		if err := operator.HeapProfile(ctx, b.heap); err != nil {
			return nil, err
		}
	}
	if err := operator.Stop(); err != nil {
		return nil, err
	}
	return grown, b.user.Clear(ctx, namespace)
}

// awaitExecutors returns once the operator reports n executors of a namespace ready.
func (b *bench) awaitExecutors(ctx context.Context, namespace string, n int) error {
	limited, cancel := context.WithTimeoutCause(ctx, 15*time.Minute, errors.New("not within 15 minutes"))
	defer cancel()
	for {
		ready, err := b.user.ReadyExecutors(limited, namespace)
		if err != nil {
			return err
		}
		if ready == n {
			return nil
		}
		select {
		case <-limited.Done():
			return fmt.Errorf("%d of %d executors are ready: %w", ready, n, context.Cause(limited))
		case <-time.After(2 * time.Second):
		}
	}
}

// atRest returns the memory once the operator is idle, has collected its garbage and returns no more memory to the
// system.
func (b *bench) atRest(ctx context.Context, operator *host.Operator) (m occupied, err error) {
	if err := operator.WaitIdle(ctx); err != nil {
		return m, err
	}
	// Pooled memory is freed by the second collection.
	const least, most = 3, 20
	for i := range most {
		before := m
		if m.heap, err = operator.Heap(ctx); err != nil {
			return m, err
		}
		if m.resident, err = host.Resident(operator.PID()); err != nil {
			return m, err
		}
		if change := m.resident - before.resident; i >= least && change < before.resident/100 && change > -before.resident/100 {
			m.heap = min(m.heap, before.heap)
			return m, nil
		}
		select {
		case <-ctx.Done():
			return m, context.Cause(ctx)
		case <-time.After(3 * time.Second):
		}
	}
	return m, nil
}

// growth are the measurements with none of something, with step of it, and with twice as many.
type growth struct {
	title, what string
	step        int
	// each is the number for which the cost is printed.
	each  int
	grown []occupied
	// fresh is the memory after a restart.
	fresh occupied
}

func (b *bench) printGrowth(g growth) {
	mebi := func(bytes float64) string { return fmt.Sprintf("%.1f", bytes/(1<<20)) }
	t := newTable(b, g.title)
	t.row("", "resident", "Go heap")
	for i, m := range g.grown {
		t.row(fmt.Sprintf("%d %s", i*g.step, g.what), mebi(float64(m.resident)), mebi(float64(m.heap)))
	}
	t.row(fmt.Sprintf("%d, after a restart", 2*g.step), mebi(float64(g.fresh.resident)), mebi(float64(g.fresh.heap)))
	for i, which := range []string{"first", "second"} {
		resident, heap := g.grown[i+1].since(g.grown[i], g.step)
		t.row(fmt.Sprintf("%d %s cost, by the %s %d", g.each, g.what, which, g.step), mebi(float64(g.each)*resident), mebi(float64(g.each)*heap))
	}
	t.end()
}

// printMemory prints the measurements. The first group of applications includes one-time costs of the operator
// (buffers, tables of types), so the second one shows the cost of an application.
func (b *bench) printMemory(grown []occupied, fresh occupied, wide []occupied) {
	b.printGrowth(growth{
		title: "Memory of the operator at rest, MiB (driver pods and ConfigMaps of finished applications are kept)",
		what:  "finished applications", step: b.finished, each: 1000, grown: grown, fresh: fresh,
	})
	if len(wide) == 0 {
		return
	}
	t := newTable(b, fmt.Sprintf("Memory of a running application with %d executors, KiB", executorsWide))
	t.row("", "resident", "Go heap (goal ≤ 60)")
	for i, which := range []string{"first", "second"} {
		resident, heap := wide[i+1].since(wide[i], b.wide)
		t.row(fmt.Sprintf("by the %s %d", which, b.wide), fmt.Sprintf("%.1f", resident/1024), fmt.Sprintf("%.1f", heap/1024))
	}
	t.end()
}

// since returns the increase for each of n applications.
func (o occupied) since(before occupied, n int) (resident, heap float64) {
	return float64(o.resident-before.resident) / float64(n), float64(o.heap-before.heap) / float64(n)
}
