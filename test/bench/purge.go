// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/bench/host"
	"github.com/sparkgate/sparkgate/test/bench/load"
)

// purgedName is the queue of the applications that wait until they are deleted.
const purgedName = "purged"

// purged is one deletion of many applications: from the first request to the last event.
type purged struct {
	elapsed time.Duration
	counts  host.Count
	// operator is CPU time.
	operator time.Duration
}

// measurePurge deletes many applications, waiting and finished ones, and compares three ways: with a running operator;
// with an operator that is started after the deletion; and with a bare client that deletes them and removes the
// finalizers.
func (b *bench) measurePurge(ctx context.Context) error {
	if err := b.user.QueueFor(ctx, purgedName, 1); err != nil {
		return err
	}
	finished, err := b.finishedOne(ctx)
	if err != nil {
		return err
	}
	waiting, err := b.waitingOne(ctx)
	if err != nil {
		return err
	}
	p := &purge{bench: b, finished: finished, waiting: waiting, ended: b.purge * 42 / 100}
	var running, started, bare []purged
	for i := range b.rounds {
		for _, way := range []struct {
			name string
			do   func(context.Context) (purged, error)
			to   *[]purged
		}{{"while the operator runs", p.running, &running}, {"before the operator starts", p.started, &started}, {"by a bare client", p.bare, &bare}} {
			b.progress("deleting %d applications %s, round %d of %d", b.purge, way.name, i+1, b.rounds)
			one, err := way.do(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", way.name, err)
			}
			b.progress("%.1f s", one.elapsed.Seconds())
			*way.to = append(*way.to, one)
		}
	}
	p.print(running, started, bare)
	return nil
}

// purge creates the applications to delete.
type purge struct {
	*bench
	finished, waiting *v1alpha1.SparkApplication
	// ended is the number of finished ones.
	ended int
}

// waitingOne returns an application that waits behind another one, which is kept.
func (b *bench) waitingOne(ctx context.Context) (app *v1alpha1.SparkApplication, err error) {
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return nil, err
	}
	operator, err := host.StartOperator(b.program, b.server)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	for i, stage := range []string{v1alpha1.StartingReason, v1alpha1.QueuedReason} {
		targets, err := b.user.ApplyFrom(ctx, namespace, load.Range{First: i, N: 1, Executors: 2, Queue: purgedName})
		if err != nil {
			return nil, err
		}
		if err := b.await(ctx, operator, namespace, stage, 1); err != nil {
			return nil, err
		}
		app = &v1alpha1.SparkApplication{}
		if err := b.user.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: targets[0].Name}, app); err != nil {
			return nil, err
		}
	}
	return app, b.user.Client.Delete(ctx, app)
}

// make creates the applications of one turn: first the finished ones, each with one of the objects that are kept for an
// hour.
func (p *purge) make(ctx context.Context) (namespace string, targets []load.Target, err error) {
	if namespace, err = p.user.Namespace(ctx); err != nil {
		return "", nil, err
	}
	if err := p.user.ApplyFinished(ctx, namespace, p.ended, p.finished); err != nil {
		return "", nil, err
	}
	if targets, err = p.user.Targets(ctx, namespace, ""); err != nil {
		return "", nil, err
	}
	if err := p.user.CreateFiles(ctx, targets); err != nil {
		return "", nil, err
	}
	left := load.Range{First: p.ended, N: p.purge - p.ended, Executors: 2, Queue: purgedName}
	if err := p.user.ApplyAs(ctx, namespace, left, p.waiting); err != nil {
		return "", nil, err
	}
	targets, err = p.user.Targets(ctx, namespace, "") // in the order of their names
	return namespace, targets, err
}

func (p *purge) running(ctx context.Context) (one purged, err error) {
	namespace, targets, err := p.make(ctx)
	if err != nil {
		return one, err
	}
	operator, err := host.StartOperator(p.program, p.server)
	if err != nil {
		return one, err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	if err := operator.WaitIdle(ctx); err != nil {
		return one, err
	}
	return p.timed(ctx, namespace, operator, func(ctx context.Context) error {
		return p.user.DeleteEach(ctx, targets, func(int) bool { return false })
	})
}

func (p *purge) started(ctx context.Context) (one purged, err error) {
	namespace, targets, err := p.make(ctx)
	if err != nil {
		return one, err
	}
	if err := p.user.DeleteEach(ctx, targets[:p.ended], func(int) bool { return false }); err != nil {
		return one, err
	}
	operator, err := host.StartOperator(p.program, p.server)
	if err != nil {
		return one, err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	return p.timed(ctx, namespace, operator, func(ctx context.Context) error {
		return p.user.DeleteEach(ctx, targets[p.ended:], func(int) bool { return false })
	})
}

func (p *purge) bare(ctx context.Context) (one purged, err error) {
	namespace, targets, err := p.make(ctx)
	if err != nil {
		return one, err
	}
	return p.timed(ctx, namespace, nil, func(ctx context.Context) error {
		return p.user.DeleteEach(ctx, targets, func(i int) bool { return i < p.ended })
	})
}

// timed measures the time of a deletion until all applications of the namespace are gone.
func (p *purge) timed(ctx context.Context, namespace string, operator *host.Operator, do func(context.Context) error) (one purged, err error) {
	limited, cancel := context.WithTimeoutCause(ctx, 30*time.Minute, errors.New("not within 30 minutes"))
	defer cancel()
	gone, err := load.CountGone(limited, p.user.Client, namespace)
	if err != nil {
		return one, err
	}
	before, err := host.CountWrites(limited, p.server.REST())
	if err != nil {
		return one, err
	}
	asked, began := make(chan error, 1), time.Now()
	go func() { asked <- do(limited) }()
	end, err := gone.Wait(limited, p.purge)
	if err := errors.Join(err, <-asked); err != nil {
		return one, err
	}
	one.elapsed = end.Sub(began)
	if operator != nil {
		if err := operator.WaitIdle(limited); err != nil {
			return one, err
		}
		if one.operator, err = operator.CPU(); err != nil {
			return one, err
		}
	}
	after, err := host.CountWrites(limited, p.server.REST())
	one.counts = after.Minus(before)
	return one, err
}

func (p *purge) print(running, started, bare []purged) {
	seconds := func(all []purged) string {
		var values []float64
		for _, one := range all {
			values = append(values, one.elapsed.Seconds())
		}
		return spread("%.1f", values)
	}
	ratio := func(all []purged) string {
		var values []float64
		for i, one := range all {
			values = append(values, bare[i].elapsed.Seconds()/one.elapsed.Seconds())
		}
		return spread("%.2f", values)
	}
	per := func(total int) string { return fmt.Sprintf("%.2f", float64(total)/float64(p.purge)) }
	t := newTable(p.bench, fmt.Sprintf("Deleting %d applications, %d of them finished, with their finalizer, and %d waiting", p.purge, p.ended, p.purge-p.ended))
	t.row("", "while the operator runs", "the finished ones before it starts", "bare client")
	t.row("seconds from the first request until all are gone", seconds(running), seconds(started), seconds(bare))
	t.row("ratio to the bare client", ratio(running), ratio(started), "1")
	last := []purged{running[len(running)-1], started[len(started)-1], bare[len(bare)-1]}
	t.row("CPU of the operator, start included, s", fmt.Sprintf("%.1f", last[0].operator.Seconds()), fmt.Sprintf("%.1f", last[1].operator.Seconds()), "")
	kinds := host.Writes{}
	for _, one := range last {
		for _, all := range []host.Writes{one.counts.Done, one.counts.Reads} {
			for kind := range all {
				kinds[kind] = max(kinds[kind], all[kind])
			}
		}
	}
	for _, kind := range kinds.Kinds() {
		cells := []string{"  " + kind.String() + ", an application"}
		for _, one := range last {
			cells = append(cells, per(one.counts.Done[kind]+one.counts.Reads[kind]))
		}
		t.row(cells...)
	}
	t.row("  refused, conflicts among them", per(last[0].counts.Failed.Total()), per(last[1].counts.Failed.Total()), per(last[2].counts.Failed.Total()))
	t.end()
}
