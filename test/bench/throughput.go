// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/bench/host"
	"github.com/sparkgate/sparkgate/test/bench/load"
)

// round is one turn: the operator, the loop with the same writes, and, for submissions, the loop with three creates.
type round struct{ operator, same, creates figures }

// measureThroughput measures submissions and deletions by the operator and by the loop, in turns.
func (b *bench) measureThroughput(ctx context.Context) error {
	if err := b.rehearse(ctx); err != nil {
		return err
	}
	if err := b.measureIdle(ctx); err != nil {
		return err
	}
	for k, n := range b.sizes {
		var submitted, deleted []round
		for i := range b.rounds {
			b.progress("submitting %d applications, round %d of %d", n, i+1, b.rounds)
			last := k == len(b.sizes)-1 && b.wants(partDelete)
			s, d, err := b.turn(ctx, n, last)
			if err != nil {
				return err
			}
			submitted, deleted = append(submitted, s), append(deleted, d)
			b.progress("operator %.1f/s, same writes %.1f/s, three creates %.1f/s", s.operator.rate(), s.same.rate(), s.creates.rate())
		}
		b.printSubmissions(submitted)
		if k == len(b.sizes)-1 && b.wants(partDelete) {
			b.printDeletions(deleted)
		}
	}
	return nil
}

// rehearse has the operator submit one application, to record its writes.
func (b *bench) rehearse(ctx context.Context) error {
	b.progress("rehearsing with one application")
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return err
	}
	history, err := load.Follow[*v1alpha1.SparkApplication](ctx, b.user.Client, &v1alpha1.SparkApplicationList{}, client.InNamespace(namespace))
	if err != nil {
		return err
	}
	defer history.Stop()
	if _, err := b.user.Apply(ctx, namespace, 1); err != nil {
		return err
	}
	if _, err := b.runOperator(ctx, submission(namespace, 1)); err != nil {
		return err
	}
	var states []*v1alpha1.SparkApplication
	for _, e := range history.Stop() {
		states = append(states, e.Object)
	}
	if b.sample, err = load.TakeSample(ctx, b.user.Client, states); err != nil {
		return err
	}
	return b.user.Clear(ctx, namespace)
}

// measureIdle starts the operator without work, to measure the cost of a mere start, and what the servers use when
// idle.
func (b *bench) measureIdle(ctx context.Context) error {
	b.progress("starting the operator with nothing to do")
	var starts, rest []time.Duration
	for range b.rounds {
		start, servers, err := b.idleOnce(ctx)
		if err != nil {
			return err
		}
		starts, rest = append(starts, start), append(rest, servers)
	}
	b.idle.operator, b.idle.servers = median(starts), float64(median(rest))/float64(idleTime)
	return nil
}

// idleTime is how long idle servers are observed.
const idleTime = 5 * time.Second

func (b *bench) idleOnce(ctx context.Context) (start, servers time.Duration, err error) {
	operator, err := host.StartOperator(b.program, b.server)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	if err := operator.WaitIdle(ctx); err != nil {
		return 0, 0, err
	}
	if start, err = operator.CPU(); err != nil {
		return 0, 0, err
	}
	before, err := b.spent()
	if err != nil {
		return 0, 0, err
	}
	select {
	case <-ctx.Done():
		return 0, 0, context.Cause(ctx)
	case <-time.After(idleTime):
	}
	after, err := b.spent()
	return start, after.servers - before.servers, err
}

// The watches of the goals request whole objects in the same encoding as the operator's own: the API server encodes an
// event only once for all of them.

func submission(namespace string, n int) goal {
	return goal{namespace: namespace, n: n, event: watch.Added, list: &corev1.PodList{}, stage: v1alpha1.StartingReason}
}

func deletion(namespace string, n int) goal {
	return goal{namespace: namespace, n: n, event: watch.Deleted, list: &v1alpha1.SparkApplicationList{}}
}

// turn submits n applications in each way and, if remove is set, deletes half of them.
func (b *bench) turn(ctx context.Context, n int, remove bool) (submitted, deleted round, err error) {
	if submitted.operator, deleted.operator, err = b.operatorTurn(ctx, n, remove); err != nil {
		return submitted, deleted, fmt.Errorf("operator: %w", err)
	}
	loop, err := load.NewLoop(b.server.Config, b.sample)
	if err != nil {
		return submitted, deleted, err
	}
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return submitted, deleted, err
	}
	targets, err := b.user.Apply(ctx, namespace, n)
	if err != nil {
		return submitted, deleted, err
	}
	submitted.same, err = b.loopTurn(ctx, submitted.operator, targets, loop.Submit)
	if err != nil {
		return submitted, deleted, err
	}
	if remove {
		if err := b.user.Delete(ctx, namespace, "a"); err != nil {
			return submitted, deleted, err
		}
		if targets, err = b.user.Targets(ctx, namespace, "a"); err != nil {
			return submitted, deleted, err
		}
		if deleted.same, err = b.loopTurn(ctx, deleted.operator, targets, loop.Remove); err != nil {
			return submitted, deleted, err
		}
	}
	if err := b.user.Clear(ctx, namespace); err != nil {
		return submitted, deleted, err
	}
	submitted.creates, err = b.createTurn(ctx, loop, n)
	return submitted, deleted, err
}

func (b *bench) operatorTurn(ctx context.Context, n int, remove bool) (submitted, deleted figures, err error) {
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return submitted, deleted, err
	}
	if _, err := b.user.Apply(ctx, namespace, n); err != nil {
		return submitted, deleted, err
	}
	if submitted, err = b.runOperator(ctx, submission(namespace, n)); err != nil {
		return submitted, deleted, err
	}
	if remove {
		if err := b.user.Delete(ctx, namespace, "a"); err != nil {
			return submitted, deleted, err
		}
		if deleted, err = b.runOperator(ctx, deletion(namespace, (n+1)/2)); err != nil {
			return submitted, deleted, err
		}
	}
	return submitted, deleted, b.user.Clear(ctx, namespace)
}

// loopTurn sends the writes of an operator's run with the loop, those of the queue to a queue of its own.
func (b *bench) loopTurn(ctx context.Context, like figures, targets []load.Target,
	do func(context.Context, []load.Target, host.Writes, load.Queues) (time.Duration, error)) (figures, error) {
	queues := load.Queues{Name: "loop", Statuses: like.queue[:min(len(like.queue), like.writes.Done[load.QueuePatch])]}
	if err := b.user.Queue(ctx, queues.Name); err != nil {
		return figures{}, err
	}
	f, err := b.runLoop(ctx, like.n, func(ctx context.Context) (time.Duration, error) { return do(ctx, targets, like.writes.Done, queues) })
	if err != nil {
		return f, err
	}
	queue := &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: queues.Name}}
	return f, b.user.Client.Delete(ctx, queue)
}

// createTurn only creates ConfigMap, Service and pod, for applications that do not exist.
func (b *bench) createTurn(ctx context.Context, loop *load.Loop, n int) (figures, error) {
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return figures{}, err
	}
	targets := make([]load.Target, n)
	for i := range targets {
		targets[i] = load.Target{Namespace: namespace, Name: load.Application(namespace, i, 0).Name, UID: "00000000-0000-0000-0000-000000000000"}
	}
	f, err := b.runLoop(ctx, n, func(ctx context.Context) (time.Duration, error) { return loop.Create(ctx, targets) })
	if err != nil {
		return f, err
	}
	return f, b.user.Clear(ctx, namespace)
}
