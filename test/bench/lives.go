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

// A run with two executors. Between two writes of the operator lies at least the time that decides whether they are one.
var (
	// prompt is a driver whose image is on the node.
	prompt = load.Script{StartAfter: time.Second, Executors: 2, ExecutorsAfter: 2 * time.Second, RunFor: 15 * time.Second, EndsIn: time.Second}
	// slow is one whose image is pulled first.
	slow = load.Script{StartAfter: 6 * time.Second, Executors: 2, ExecutorsAfter: 2 * time.Second, RunFor: 15 * time.Second, EndsIn: time.Second}
)

// pace is how many applications a second are applied while writes of whole lives are counted: slow enough that the API server is not
// what makes drivers late.
const pace = 4

// measureWrites counts what the operator writes for an application from apply to succeeded.
func (b *bench) measureWrites(ctx context.Context) error {
	b.progress("counting the writes of %d whole lives", b.lives)
	early, err := b.countLives(ctx, prompt)
	if err != nil {
		return err
	}
	b.progress("counting the writes of %d whole lives with slow drivers", b.lives)
	late, err := b.countLives(ctx, slow)
	if err != nil {
		return err
	}
	per := func(total int) string { return fmt.Sprintf("%.2f", float64(total)/float64(b.lives)) }
	t := newTable(b, "API writes an application from apply to succeeded, two executors, a run of 15 s")
	t.row("", "driver runs after 1 s", "after 6 s")
	for _, kind := range late.Done.Kinds() {
		t.row(kind.String(), per(early.Done[kind]), per(late.Done[kind]))
	}
	t.row("all (goal ≤ 10)", per(early.Done.Total()), per(late.Done.Total()))
	t.row("refused, conflicts among them", per(early.Failed.Total()), per(late.Failed.Total()))
	t.end()
	return nil
}

// countLives has applications live by a script and counts the operator's part of the writes: all that the API server has counted
// but the node's own and the applications themselves.
func (b *bench) countLives(ctx context.Context, script load.Script) (c host.Count, err error) {
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return c, err
	}
	node, err := load.StartNode(ctx, b.server.Config, namespace, script)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, node.Stop()) }()
	operator, err := host.StartOperator(b.program, b.server)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	if err := operator.WaitIdle(ctx); err != nil {
		return c, err
	}
	before, err := host.CountWrites(ctx, b.server.REST())
	if err != nil {
		return c, err
	}
	if err := b.trickle(ctx, namespace); err != nil {
		return c, err
	}
	if err := b.await(ctx, operator, namespace, v1alpha1.SucceededReason, b.lives); err != nil {
		return c, err
	}
	after, err := host.CountWrites(ctx, b.server.REST())
	if err != nil {
		return c, err
	}
	c = after.Minus(before)
	c.Done = c.Done.Minus(node.Writes())
	delete(c.Done, host.Kind{Verb: "POST", Resource: "sparkapplications"})
	if err := operator.Stop(); err != nil {
		return c, err
	}
	return c, b.user.Clear(ctx, namespace)
}

// trickle applies the applications at a steady pace.
func (b *bench) trickle(ctx context.Context, namespace string) error {
	ticker := time.NewTicker(time.Second / pace)
	defer ticker.Stop()
	for i := range b.lives {
		if _, err := b.user.ApplyFrom(ctx, namespace, load.Range{First: i, N: 1, Executors: 2}); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
	}
	return nil
}

// await returns once n applications are in a stage and the operator is idle.
func (b *bench) await(ctx context.Context, operator *host.Operator, namespace, stage string, n int) error {
	limited, cancel := context.WithTimeoutCause(ctx, 15*time.Minute, errors.New("not within 15 minutes"))
	defer cancel()
	if err := b.user.AwaitStage(limited, namespace, stage, n); err != nil {
		_, ended := operator.CPU()
		return errors.Join(err, ended)
	}
	return operator.WaitIdle(limited)
}
