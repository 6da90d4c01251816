// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"sync"
	"sync/atomic"
)

// Workers is the number of parallel requests, the same as the operator's default number of parallel reconciliations.
const Workers = 16

// InParallel calls do with 0 … n-1, on Workers goroutines, until all are done or one has failed.
func InParallel(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	return each(ctx, n, do)
}

// each calls do with 0 … n-1, on Workers goroutines, until all are done or one has failed.
func each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var running sync.WaitGroup
	for range min(Workers, n) {
		running.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	running.Wait()
	return context.Cause(ctx)
}
