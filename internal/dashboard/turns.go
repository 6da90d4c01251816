// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/internal/client"
)

const (
	// mostLists is how many long lists are read at the same time.
	mostLists = 4
	// listWithin is how long a list may take before it is the turn of others, too: one that does not arrive stops none.
	listWithin = 10 * time.Second
)

// turns bound what a server does at the same time for all of its viewers where it takes much memory: a plan has all
// applications of the cluster whole, what drivers answer is as large as their users like, and a list of applications that
// many viewers read at once is decoded once for each of them, where the later ones find its rows in the stock.
type turns struct{ plans, readings, lists *semaphore.Weighted }

func newTurns() *turns {
	const plans, readings = 1, 2
	return &turns{semaphore.NewWeighted(plans), semaphore.NewWeighted(readings), semaphore.NewWeighted(mostLists)}
}

// inTurn reads lists in turn with those of other viewers. What comes after a list needs no turn.
type inTurn struct {
	client.Listener
	ctx   context.Context
	lists *semaphore.Weighted
	clock clock.WithDelayedExecution
	// done gives the turn back. It may be called again.
	done func()
}

func newInTurn(ctx context.Context, l client.Listener, lists *semaphore.Weighted, k clock.WithDelayedExecution) *inTurn {
	return &inTurn{l, ctx, lists, k, func() {}}
}

// Begin implements client.Listener.
func (l *inTurn) Begin() {
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
func (l *inTurn) Complete() {
	l.Listener.Complete()
	l.done()
}

// Lost implements client.Listener.
func (l *inTurn) Lost(why error) {
	l.done()
	l.Listener.Lost(why)
}
