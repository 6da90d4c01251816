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

// fullName is a queue with room for one application, which does not end.
const fullName = "full"

// measurePending measures the operator at rest with more and more applications that wait for quota, then a fresh start with all of them.
func (b *bench) measurePending(ctx context.Context) error {
	if b.pending == 0 {
		return nil
	}
	b.progress("having twice %d applications wait", b.pending)
	if err := b.user.QueueFor(ctx, fullName, 1); err != nil {
		return err
	}
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return err
	}
	grown, err := b.waitingOnes(ctx, namespace)
	if err != nil {
		return err
	}
	fresh, err := b.restarted(ctx)
	if err != nil {
		return err
	}
	b.printPending(grown, fresh)
	return b.user.Clear(ctx, namespace)
}

// waitingOnes measures before, between and after two heaps of applications that wait behind one that runs.
func (b *bench) waitingOnes(ctx context.Context, namespace string) (grown []occupied, err error) {
	node, err := load.StartNode(ctx, b.server.Config, namespace, load.Script{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, node.Stop()) }()
	operator, err := host.StartOperator(b.program, b.server)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	progress, err := load.Track(ctx, b.user.Client, namespace)
	if err != nil {
		return nil, err
	}
	defer progress.Stop()
	return b.heaps(ctx, operator, func(i int) error {
		limited, cancel := context.WithTimeoutCause(ctx, 30*time.Minute, errors.New("not within 30 minutes"))
		defer cancel()
		heap := load.Range{First: i * b.pending, N: b.pending, Executors: 2, Queue: fullName}
		if i == 0 {
			heap.N++ // the one that runs
		} else {
			heap.First++
		}
		if _, err := b.user.ApplyFrom(limited, namespace, heap); err != nil {
			return err
		}
		_, err := progress.Wait(limited, v1alpha1.QueuedReason, (i+1)*b.pending)
		return err
	})
}

func (b *bench) printPending(grown []occupied, fresh occupied) {
	mebi := func(bytes float64) string { return fmt.Sprintf("%.1f", bytes/(1<<20)) }
	t := newTable(b, "Memory of the operator at rest with applications that wait for quota, MiB")
	t.row("", "resident", "Go heap")
	for i, m := range grown {
		t.row(fmt.Sprintf("%d waiting", i*b.pending), mebi(float64(m.resident)), mebi(float64(m.heap)))
	}
	t.row(fmt.Sprintf("%d, after a restart", 2*b.pending), mebi(float64(fresh.resident)), mebi(float64(fresh.heap)))
	for i, which := range []string{"first", "second"} {
		resident, heap := grown[i+1].since(grown[i], b.pending)
		t.row(fmt.Sprintf("10000 waiting cost, by the %s %d", which, b.pending), mebi(10_000*resident), mebi(10_000*heap))
	}
	t.end()
}
