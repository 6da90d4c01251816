// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"github.com/sparkgate/sparkgate/test/bench/host"
	"github.com/sparkgate/sparkgate/test/bench/load"
)

// allocatedWrites is how many applications are created to see what a write allocates, and how often the status of each
// is written.
const (
	allocatedApplications = 200
	allocatedStatuses     = 4
	finalizerWrite        = "finalizer, KB"
)

// measureAllocations measures how much memory the API server allocates for a write. That predicts what the write costs:
// a third of the API server's CPU time goes into garbage collection, and the amount hardly depends on the machine.
func (b *bench) measureAllocations(ctx context.Context) error {
	if err := b.rehearse(ctx); err != nil {
		return err
	}
	loop, err := load.NewLoop(b.server.Config, b.sample)
	if err != nil {
		return err
	}
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return err
	}
	var targets []load.Target
	send := func(writes host.Writes) func() error {
		return func() error {
			_, err := loop.Submit(ctx, targets, writes, load.Queues{})
			return err
		}
	}
	const n = allocatedApplications
	t := newTable(b, "What the API server allocates for one write")
	for _, write := range []struct {
		what string
		n    int
		send func() error
	}{
		{"creation of an application, KB", n, func() (err error) {
			targets, err = b.user.Apply(ctx, namespace, n)
			return err
		}},
		{finalizerWrite, n, send(host.Writes{load.FinalizerPatch: n})},
		{"status of an application, KB", allocatedStatuses * n, send(host.Writes{load.StatusPatch: allocatedStatuses * n})},
		{"ConfigMap, KB", n, send(host.Writes{load.ConfigMapPost: n})},
		{"Service, KB", n, send(host.Writes{load.ServicePost: n})},
		{"driver pod, KB", n, send(host.Writes{load.PodPost: n})},
	} {
		if b.policy != "" && write.what == finalizerWrite {
			continue // the policy has put it
		}
		bytes, err := b.allocated(ctx, write.send)
		if err != nil {
			return err
		}
		t.row(write.what, fmt.Sprintf("%.0f", float64(bytes)/1024/float64(write.n)))
	}
	t.end()
	return b.user.Clear(ctx, namespace)
}

// allocated returns how many bytes the API server allocates during a call.
func (b *bench) allocated(ctx context.Context, call func() error) (int64, error) {
	before, err := b.server.Allocated(ctx)
	if err != nil {
		return 0, err
	}
	if err := call(); err != nil {
		return 0, err
	}
	after, err := b.server.Allocated(ctx)
	return after - before, err
}
