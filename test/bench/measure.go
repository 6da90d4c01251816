// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/bench/host"
	"github.com/sparkgate/sparkgate/test/bench/load"
)

// figures are what one run has shown.
type figures struct {
	n int
	// elapsed is the time that counts; startup is what the operator took from its start to its first write.
	elapsed, startup time.Duration
	// writes within elapsed, and all until the operator was idle.
	writes, all host.Count
	// queue are the states of the queue that were written within elapsed.
	queue []*v1alpha1.SparkQueue
	// client is the CPU time of the operator, or of this process where it makes the writes; servers that of kube-apiserver and etcd;
	// machine that of all processes of the machine.
	client, servers, machine time.Duration
}

// rate is applications a second.
func (f *figures) rate() float64 { return float64(f.n) / f.elapsed.Seconds() }

// ledger is the number of grants that were written to the ledger, each as often as it was, and the most that stood in it at once.
func (f *figures) ledger() (written, most int) {
	seq := int64(-1)
	for _, q := range f.queue {
		if l := q.Status.Ledger; l != nil && l.Seq != seq {
			seq = l.Seq
			entries, _ := l.Decode() // what the operator under test writes can be read
			written += len(entries.InFlight)
			most = max(most, len(entries.InFlight))
		}
	}
	return written, most
}

// spent is a state of the clocks of the CPUs.
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

// finish fills in what the servers, and the machine, have used since before; of the servers what they would have used anyway is left
// out.
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

// goal is what an operator is started for: n events of a type on the objects of a namespace.
type goal struct {
	namespace string
	n         int
	event     watch.EventType
	list      client.ObjectList
	// stage is where the applications of the namespace are in the end, and how many; empty if they are gone.
	stage string
}

// runOperator starts the operator, which finds its work waiting, and times it from its first write (it takes the ledger of the queue
// over before it reads any application) to the event that completes the goal.
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

// countUntil waits for the goal, and takes the API server's count and the CPU times at that moment: the operator is paused meanwhile. What
// it does later does not count: Starting, for one, is only written 10 s after a driver that no node takes.
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

// settle waits until the operator has nothing left to do, and all applications are where they should be: an API server that is slow
// to answer also makes the operator look idle.
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

// time takes the first write from what happened to the queue, and keeps the states that were written until the end.
func (f *figures) time(started, end time.Time, events []load.Event[*v1alpha1.SparkQueue]) error {
	var first time.Time
	for _, e := range events {
		if e.Type != watch.Modified || e.At.Before(started) || e.At.After(end) {
			continue
		}
		if first.IsZero() {
			first = e.At
		}
		f.queue = append(f.queue, e.Object)
	}
	if first.IsZero() {
		return errors.New("the operator has not taken the ledger of the queue over")
	}
	f.startup, f.elapsed = first.Sub(started), end.Sub(first)
	return nil
}

// startProfile takes profiles of the operator and the API server from when they are meaningful, if they are wanted for this goal. The
// channel signals the end.
func (b *bench) startProfile(ctx context.Context, operator *host.Operator, g goal) <-chan error {
	done := make(chan error, 1)
	if b.profile == "" || g.event != watch.Added || g.n != b.sizes[len(b.sizes)-1] {
		done <- nil
		return done
	}
	go func() {
		var server error
		both := make(chan struct{})
		go func() {
			defer close(both)
			server = b.server.Profile(ctx, b.profileFor, b.profile+".apiserver")
		}()
		err := operator.Profile(ctx, b.profileFor, b.profile)
		for err != nil && ctx.Err() == nil && time.Since(operator.Started) < 30*time.Second { // it does not listen yet
			time.Sleep(50 * time.Millisecond)
			err = operator.Profile(ctx, b.profileFor, b.profile)
		}
		<-both
		done <- errors.Join(err, server)
	}()
	return done
}
