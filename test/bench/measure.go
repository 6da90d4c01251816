// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/bench/host"
	"github.com/sparkgate/sparkgate/test/bench/load"
)

// figures are the results of one run.
type figures struct {
	n int
	// elapsed is the time that counts; startup is the time from the operator's start to its first write.
	elapsed, startup time.Duration
	// writes are those within elapsed, and all those until the operator was idle.
	writes, all host.Count
	// queue are the states of the queue that were written within elapsed.
	queue []*v1alpha1.SparkQueue
	// client is the CPU time of the operator, or of this process if it sends the writes; servers is that of
	// kube-apiserver and etcd; machine that of all processes of the machine.
	client, servers, machine time.Duration
}

// rate returns the number of applications per second.
func (f *figures) rate() float64 { return float64(f.n) / f.elapsed.Seconds() }

// ledger returns the number of grants that were written to the ledger, counting each time that one was written, and the
// largest number of grants that it had at once.
func (f *figures) ledger() (written, most int) {
	seq := int64(-1)
	for _, q := range f.queue {
		if l := q.Status.Ledger; l != nil && l.Seq != seq {
			seq = l.Seq
			// The operator's own ledger can be decoded.
			entries, _ := l.Decode()
			written += len(entries.InFlight)
			most = max(most, len(entries.InFlight))
		}
	}
	return written, most
}

// spent is a reading of the CPU times.
type spent struct {
	at                     time.Time
	self, servers, machine time.Duration
}

func (b *bench) spent() (spent, error) {
	self, err := host.ProcessCPU(os.Getpid())
	if err != nil {
		return spent{}, err
	}
	servers, err := host.ProcessCPU(b.server.PIDs()...)
	if err != nil {
		return spent{}, err
	}
	machine, err := host.MachineCPU()
	return spent{at: time.Now(), self: self, servers: servers, machine: machine}, err
}

// finish sets the CPU time that the servers and the machine have used since before. For the servers it subtracts what
// they use when idle.
func (f *figures) finish(b *bench, before spent) error {
	now, err := b.spent()
	anyway := time.Duration(b.idle.servers * float64(now.at.Sub(before.at)))
	f.servers, f.machine = now.servers-before.servers-anyway, now.machine-before.machine
	return err
}

// runLoop times a run of the bare loop.
func (b *bench) runLoop(ctx context.Context, n int, loop func(ctx context.Context) (time.Duration, error)) (f figures, err error) {
	f.n = n
	counted, err := host.CountWrites(ctx, b.server.REST())
	if err != nil {
		return f, err
	}
	before, err := b.spent()
	if err != nil {
		return f, err
	}
	if f.elapsed, err = loop(ctx); err != nil {
		return f, err
	}
	if err := f.finish(b, before); err != nil {
		return f, err
	}
	self, err := host.ProcessCPU(os.Getpid())
	if err != nil {
		return f, err
	}
	f.client = self - before.self
	now, err := host.CountWrites(ctx, b.server.REST())
	f.writes = now.Minus(counted)
	f.all = f.writes
	return f, err
}

// goal is the result that an operator is started for: n events of a type on the objects of a namespace.
type goal struct {
	namespace string
	n         int
	event     watch.EventType
	list      client.ObjectList
	// stage is the final stage of the applications of the namespace; empty if they are deleted.
	stage string
}

// runOperator starts the operator, whose work is waiting, and times it from its first write (it takes over the queue's
// ledger before it reads any application) to the event that completes the goal.
func (b *bench) runOperator(ctx context.Context, g goal) (f figures, err error) {
	f.n = g.n
	counter, err := load.Count(ctx, b.user.Client, g.event, g.list, client.InNamespace(g.namespace))
	if err != nil {
		return f, err
	}
	queue, err := load.Follow[*v1alpha1.SparkQueue](ctx, b.user.Client, &v1alpha1.SparkQueueList{})
	if err != nil {
		return f, err
	}
	defer queue.Stop()
	counted, err := host.CountWrites(ctx, b.server.REST())
	if err != nil {
		return f, err
	}
	before, err := b.spent()
	if err != nil {
		return f, err
	}
	operator, err := host.StartOperator(b.program, b.server)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	profiled := b.startProfile(ctx, operator, g)
	end, err := b.countUntil(ctx, operator, counter, before, &f)
	if err != nil {
		return f, err
	}
	f.writes = f.writes.Minus(counted)
	if err := b.settle(ctx, operator, g); err != nil {
		return f, err
	}
	now, err := host.CountWrites(ctx, b.server.REST())
	if err != nil {
		return f, err
	}
	f.all = now.Minus(counted)
	return f, errors.Join(f.time(operator.Started, end, queue.Stop()), <-profiled)
}

// countUntil waits for the goal, and then reads the API server's count and the CPU times while the operator is paused.
// The operator's later writes do not count, such as the stage Starting, which it writes only 10 s after a driver that
// is not scheduled.
func (b *bench) countUntil(ctx context.Context, operator *host.Operator, counter *load.Counter, before spent, f *figures) (time.Time, error) {
	limited, cancel := context.WithTimeoutCause(ctx, 10*time.Minute, errors.New("the operator did not get there within 10 minutes"))
	defer cancel()
	end, err := counter.Wait(limited, f.n)
	if err != nil {
		_, ended := operator.CPU()
		return end, errors.Join(err, ended)
	}
	if err := operator.Pause(); err != nil {
		return end, err
	}
	if f.client, err = operator.CPU(); err != nil {
		return end, err
	}
	if err := f.finish(b, before); err != nil {
		return end, err
	}
	f.writes, err = host.CountWrites(ctx, b.server.REST())
	return end, errors.Join(err, operator.Continue())
}

// settle waits until the operator is idle and all applications are in their final stage: with a slow API server the
// operator looks idle, although it is not done.
func (b *bench) settle(ctx context.Context, operator *host.Operator, g goal) error {
	limited, cancel := context.WithTimeoutCause(ctx, 5*time.Minute, errors.New("the operator is not ready after 5 minutes"))
	defer cancel()
	for {
		if err := operator.WaitIdle(limited); err != nil {
			return err
		}
		if g.stage == "" {
			return nil
		}
		stages, err := b.user.Stages(limited, g.namespace)
		if err != nil {
			return fmt.Errorf("%w (%w)", err, context.Cause(limited))
		}
		if stages[g.stage] == g.n {
			return nil
		}
		b.progress("the operator pauses with applications %v", stages)
	}
}

// time finds the first write among the events of the queue, and keeps the states that were written until the end.
func (f *figures) time(started, end time.Time, events []load.Event[*v1alpha1.SparkQueue]) error {
	written := writesBetween(events, started, end)
	if len(written) == 0 {
		return errors.New("the operator has not taken the ledger of the queue over")
	}
	first := written[0].At
	f.startup, f.elapsed, f.queue = first.Sub(started), end.Sub(first), states(written)
	return nil
}

// writesBetween returns the events of writes to a queue in a period.
func writesBetween(events []load.Event[*v1alpha1.SparkQueue], from, to time.Time) []load.Event[*v1alpha1.SparkQueue] {
	return slices.DeleteFunc(events, func(e load.Event[*v1alpha1.SparkQueue]) bool {
		return e.Type != watch.Modified || e.At.Before(from) || e.At.After(to)
	})
}

// states returns what was written.
func states(events []load.Event[*v1alpha1.SparkQueue]) []*v1alpha1.SparkQueue {
	all := make([]*v1alpha1.SparkQueue, len(events))
	for i, e := range events {
		all[i] = e.Object
	}
	return all
}

// startProfile takes the requested profiles of the operator and the API server, starting when they are meaningful for
// this goal. The channel signals the end.
func (b *bench) startProfile(ctx context.Context, operator *host.Operator, g goal) <-chan error {
	if g.event != watch.Added || g.n != b.sizes[len(b.sizes)-1] {
		return completed(nil)
	}
	return b.profileBoth(ctx, operator, b.profile)
}

// profileBoth writes profiles of the operator and the API server to files of that name, if profiles are requested. The
// channel signals the end.
func (b *bench) profileBoth(ctx context.Context, operator *host.Operator, file string) <-chan error {
	if b.profile == "" {
		return completed(nil)
	}
	done := make(chan error, 1)
	go func() {
		var server error
		both := make(chan struct{})
		go func() {
			defer close(both)
			server = b.server.Profile(ctx, b.profileFor, file+".apiserver")
		}()
		err := operator.Profile(ctx, b.profileFor, file)
		// The operator does not listen yet.
		for err != nil && ctx.Err() == nil && time.Since(operator.Started) < 30*time.Second {
			time.Sleep(50 * time.Millisecond)
			err = operator.Profile(ctx, b.profileFor, file)
		}
		<-both
		done <- errors.Join(err, server)
	}()
	return done
}

// completed returns a channel that has the result.
func completed(result error) <-chan error {
	done := make(chan error, 1)
	done <- result
	return done
}
