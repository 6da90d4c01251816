// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/bench/host"
)

const (
	// asLargeAsMayBe is the size of the template in an application that is just within the operator's limit.
	asLargeAsMayBe = v1alpha1.MaxApplicationSize - 4<<10
	// tooLarge is close to the largest size that the API server stores.
	tooLarge = 1_400_000
)

// measureLarge measures the operator's peak memory with many large applications: while they are created, and in an
// operator that finds all of them at its start. It repeats this with half as many applications that are too large.
func (b *bench) measureLarge(ctx context.Context) error {
	t := newTable(b, "Memory of the operator with large applications, MiB (goal ≤ 512)")
	t.row("", "peak while they come", "peak of a start with all of them", "then at rest")
	// etcd keeps every version of each application.
	for _, row := range []struct{ n, size int }{{b.large, asLargeAsMayBe}, {b.large / 2, tooLarge}} {
		n, size := row.n, row.size
		namespace, err := b.user.Namespace(ctx)
		if err != nil {
			return err
		}
		b.progress("applying %d applications of %d bytes", n, size)
		coming, err := b.withOperator(ctx, func() error { return b.user.ApplyLarge(ctx, namespace, n, size) })
		if err != nil {
			return err
		}
		b.progress("starting the operator with all of them")
		start, err := b.withOperator(ctx, func() error { return nil })
		if err != nil {
			return err
		}
		mebi := func(bytes int64) string { return fmt.Sprintf("%.0f", float64(bytes)/(1<<20)) }
		b.progress("peaks of %s and %s MiB, at rest %s", mebi(coming.peak), mebi(start.peak), mebi(start.resident))
		t.row(fmt.Sprintf("%d of %d bytes", n, size), mebi(coming.peak), mebi(start.peak), mebi(start.resident))
		if err := b.user.Clear(ctx, namespace); err != nil {
			return err
		}
	}
	t.end()
	return nil
}

// filled is the resident memory of an operator, in bytes: the peak since its start, and the value once it was idle.
type filled struct{ peak, resident int64 }

// withOperator starts an operator, calls do, and measures once the operator is idle.
func (b *bench) withOperator(ctx context.Context, do func() error) (m filled, err error) {
	operator, err := host.StartOperator(b.program, b.server)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	if err := do(); err != nil {
		return m, err
	}
	if err := operator.WaitIdle(ctx); err != nil {
		return m, err
	}
	if m.peak, err = host.Peak(operator.PID()); err != nil {
		return m, err
	}
	m.resident, err = host.Resident(operator.PID())
	return m, err
}
