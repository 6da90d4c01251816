// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/bench/host"
	"github.com/sparkgate/sparkgate/test/bench/load"
)

// A run with two executors. The operator's writes are far enough apart that none of them are merged.
var (
	// prompt is a driver whose image is on the node.
	prompt = load.Script{StartAfter: time.Second, Executors: 2, ExecutorsAfter: 2 * time.Second, RunFor: 15 * time.Second, EndsIn: time.Second}
	// slow is a driver whose image has to be pulled first.
	slow = load.Script{StartAfter: 6 * time.Second, Executors: 2, ExecutorsAfter: 2 * time.Second, RunFor: 15 * time.Second, EndsIn: time.Second}
)

// pace is the number of applications that are applied per second while the writes of whole lives are counted: few
// enough that the API server does not delay drivers.
const pace = 4

// measureWrites counts the operator's writes for an application from apply to succeeded.
func (b *bench) measureWrites(ctx context.Context) error {
	lives := []struct {
		title  string
		script load.Script
		pace   int
	}{
		{fmt.Sprintf("%d a second", pace), prompt, pace},
		{"the same, slow drivers", slow, pace},
		{"all at once", prompt, 0},
	}
	counts := make([]host.Count, len(lives))
	for i, l := range lives {
		b.progress("counting the writes of %d whole lives: %s", b.lives, l.title)
		var err error
		if counts[i], err = b.countLives(ctx, l.script, l.pace); err != nil {
			return err
		}
	}
	kinds, titles := host.Writes{}, []string{""}
	for i, l := range lives {
		maps.Copy(kinds, counts[i].Done)
		titles = append(titles, l.title)
	}
	row := func(name string, figure func(host.Count) int) []string {
		cells := []string{name}
		for _, c := range counts {
			cells = append(cells, fmt.Sprintf("%.2f", float64(figure(c))/float64(b.lives)))
		}
		return cells
	}
	t := newTable(b, "API writes an application from apply to succeeded, two executors, a run of 15 s")
	t.row(titles...)
	for _, kind := range kinds.Kinds() {
		t.row(row(kind.String(), func(c host.Count) int { return c.Done[kind] })...)
	}
	t.row(row("all (goal ≤ 10)", func(c host.Count) int { return c.Done.Total() })...)
	t.row(row("refused, conflicts among them", func(c host.Count) int { return c.Failed.Total() })...)
	t.end()
	return nil
}

// countLives runs applications by a script, so many new ones per second (0: all at once), and counts the operator's
// writes.
func (b *bench) countLives(ctx context.Context, script load.Script, pace int) (host.Count, error) {
	return b.account(ctx, script, func(operator *host.Operator, namespace string) (err error) {
		if pace == 0 {
			_, err = b.user.ApplyFrom(ctx, namespace, load.Range{N: b.lives, Executors: 2})
		} else {
			err = b.trickle(ctx, namespace, pace)
		}
		if err != nil {
			return err
		}
		return b.await(ctx, operator, namespace, v1alpha1.SucceededReason, b.lives)
	})
}

// account starts a new operator, and a node that follows a script, and calls live to run applications in a new
// namespace. It returns the operator's writes: everything that the API server has counted, except for the node's writes
// and the applications themselves.
func (b *bench) account(ctx context.Context, script load.Script, live func(operator *host.Operator, namespace string) error) (c host.Count, err error) {
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
	if err := live(operator, namespace); err != nil {
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
func (b *bench) trickle(ctx context.Context, namespace string, pace int) error {
	ticker := time.NewTicker(time.Second / time.Duration(pace))
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
