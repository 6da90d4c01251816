// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package viewer

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/internal/tools/client"
)

const (
	// maxLists is how many long lists are read at the same time.
	maxLists = 4
	// listWithin is how long reading a list may keep its turn, so that one that does not arrive does not stop others.
	listWithin = 10 * time.Second
)

// WorkLimits limit memory-intensive work that the server does at the same time for all viewers: a plan keeps all
// applications of the cluster completely; the answers of drivers can be arbitrarily large; and a list of applications
// that many viewers read at the same time is decoded for each of them, whereas later ones would find its rows in the
// rowCache.
type WorkLimits struct{ plans, readings, lists *semaphore.Weighted }

// NewWorkLimits returns the limits of a server.
func NewWorkLimits() *WorkLimits {
	const plans, readings = 1, 2
	return &WorkLimits{semaphore.NewWeighted(plans), semaphore.NewWeighted(readings), semaphore.NewWeighted(maxLists)}
}

// limitedListener is a listener that waits for its turn before it reads a list. Changes after a list need no turn.
type limitedListener struct {
	client.Listener
	ctx   context.Context
	lists *semaphore.Weighted
	clock clock.WithDelayedExecution
	// done gives back the turn. It may be called several times.
	done func()
}

func newLimitedListener(ctx context.Context, l client.Listener, lists *semaphore.Weighted, k clock.WithDelayedExecution) *limitedListener {
	return &limitedListener{l, ctx, lists, k, func() {}}
}

// Begin implements client.Listener.
func (l *limitedListener) Begin() {
	if l.lists.Acquire(l.ctx, 1) == nil {
		release := sync.OnceFunc(func() { l.lists.Release(1) })
		late := l.clock.AfterFunc(listWithin, release)
		l.done = func() {
			late.Stop()
			release()
		}
	}
	l.Listener.Begin()
}

// Complete implements client.Listener.
func (l *limitedListener) Complete() {
	l.Listener.Complete()
	l.done()
}

// Lost implements client.Listener.
func (l *limitedListener) Lost(why error) {
	l.done()
	l.Listener.Lost(why)
}

// turn waits for a turn of the viewer, and then for one of all viewers, so that none of them takes all turns. done gives
// both back.
func turn(ctx context.Context, own, all *semaphore.Weighted) (done func(), err error) {
	if err := own.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	if err := all.Acquire(ctx, 1); err != nil {
		own.Release(1)
		return nil, err
	}
	return func() {
		all.Release(1)
		own.Release(1)
	}, nil
}

// TurnToPlan waits for a turn to make a plan. done gives it back.
func (v *Viewer) TurnToPlan(ctx context.Context) (done func(), err error) {
	return turn(ctx, v.ownPlans, v.limits.plans)
}
