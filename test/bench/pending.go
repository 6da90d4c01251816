// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/bench/host"
	"github.com/sparkgate/sparkgate/test/bench/load"
)

// fullName is a queue with quota for one application, which does not end.
const fullName = "full"

// measurePending measures the idle operator with more and more applications that wait for quota, then a new process
// with all of them.
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

// waitingOnes measures before, between and after two groups of applications that wait behind one that runs.
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
	grown, err = b.heaps(ctx, operator, func(i int) error {
		limited, cancel := context.WithTimeoutCause(ctx, 30*time.Minute, errors.New("not within 30 minutes"))
		defer cancel()
		heap := load.Range{First: i * b.pending, N: b.pending, Executors: 2, Queue: fullName}
		if i == 0 {
			// It includes the one that runs.
			heap.N++
		} else {
			heap.First++
		}
		if _, err := b.user.ApplyFrom(limited, namespace, heap); err != nil {
			return err
		}
		_, err := progress.Wait(limited, v1alpha1.QueuedReason, (i+1)*b.pending)
		return err
	})
	if err != nil || b.heap == "" {
		return grown, err
	}
	return grown, operator.HeapProfile(ctx, b.heap+".waiting")
}

func (b *bench) printPending(grown []occupied, fresh occupied) {
	b.printGrowth(growth{
		title: "Memory of the operator at rest with applications that wait for quota, MiB",
		what:  "waiting", step: b.pending, each: 10_000, grown: grown, fresh: fresh,
	})
}
