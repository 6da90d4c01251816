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
	// asLargeAsMayBe is how much of a template an application can have that is kept whole: little less than the bound.
	asLargeAsMayBe = v1alpha1.MaxApplicationSize - 4<<10
	// tooLarge is about the most that the API server stores.
	tooLarge = 1_400_000
)

// measureLarge measures the peak of the operator's memory with many large applications: while they come, and from a start that finds all
// of them; then the same with half as many that are too large.
func (b *bench) measureLarge(ctx context.Context) error {
	t := newTable(b, "Memory of the operator with large applications, MiB (goal ≤ 512)")
	t.row("", "peak while they come", "peak of a start with all of them", "then at rest")
	for _, row := range []struct{ n, size int }{{b.large, asLargeAsMayBe}, {b.large / 2, tooLarge}} { // etcd keeps every version of each
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

// filled is the memory of an operator in RAM, in bytes: at most since its start, and once it was idle.
type filled struct{ peak, resident int64 }

// withOperator starts an operator, does something, and measures once the operator is idle.
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
