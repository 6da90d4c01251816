// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/bench/host"
	"github.com/sparkgate/sparkgate/test/bench/load"
)

const (
	// scaleExecutors is the number of executors of each running application.
	scaleExecutors = 20
	// scaleProbe is the number of applications that are submitted to see how the others affect a submission. They make
	// the API server allocate several GB, so that a few of its garbage collections fall on them, which take seconds of CPU
	// time beside a large crowd.
	scaleProbe = 1000
	// restFor is how long an idle operator is observed.
	restFor = time.Minute
)

// crowd has the costs of a number of applications.
type crowd struct {
	n int
	// first is the time from the start of the operator until its first driver pod.
	first time.Duration
	// operator is the memory of the idle operator and its peak; servers are kube-apiserver and etcd.
	operator  occupied
	peak      int64
	apiserver int64
	etcd      int64
	// database is the disk space that etcd has allocated.
	database int64
	// atRest is the share of one CPU that the operator uses.
	atRest float64
	probes []probe
}

// probe has the costs of submissions beside a crowd.
type probe struct {
	// same is the time of a bare loop with the same writes divided by the operator's; creates is that of three creates.
	same, creates float64
	// operator and servers are the CPU time of each submission in ms; loop is that of the servers for the same writes,
	// and bare for three creates.
	operator, servers, loop, bare float64
}

// measureScale measures memory, idle CPU time and submissions with hardly any other application, and with very many: 96
// % finished, 3 % waiting and 1 % running with executors.
func (b *bench) measureScale(ctx context.Context) error {
	if err := b.rehearse(ctx); err != nil {
		return err
	}
	none, err := b.crowded(ctx, 0)
	if err != nil {
		return err
	}
	finished, err := b.finishedOne(ctx)
	if err != nil {
		return err
	}
	if err := b.user.QueueFor(ctx, purgedName, 1); err != nil {
		return err
	}
	waiting, err := b.waitingOne(ctx)
	if err != nil {
		return err
	}
	ended, waits := b.scale*96/100, b.scale*3/100
	b.progress("making %d finished and %d waiting applications", ended, waits)
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return err
	}
	if err := b.user.ApplyFinished(ctx, namespace, ended, finished); err != nil {
		return err
	}
	if err := b.user.ApplyAs(ctx, namespace, load.Range{First: ended, N: waits, Executors: 2, Queue: purgedName}, waiting); err != nil {
		return err
	}
	if err := b.runWide(ctx, b.scale-ended-waits); err != nil {
		return err
	}
	many, err := b.crowded(ctx, b.scale)
	if err != nil {
		return err
	}
	b.printScale(none, many)
	return nil
}

// runWide runs n applications with executors. They continue after the operator has stopped.
func (b *bench) runWide(ctx context.Context, n int) (err error) {
	b.progress("running %d applications with %d executors", n, scaleExecutors)
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return err
	}
	node, err := load.StartNode(ctx, b.server.Config, namespace, load.Script{Executors: scaleExecutors})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, node.Stop()) }()
	operator, err := host.StartOperator(b.program, b.server)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	if _, err := b.user.ApplyFrom(ctx, namespace, load.Range{N: n, Executors: scaleExecutors}); err != nil {
		return err
	}
	return b.awaitExecutors(ctx, namespace, n*scaleExecutors)
}

// crowded measures an operator beside n applications, and submissions to it.
func (b *bench) crowded(ctx context.Context, n int) (crowd, error) {
	c, err := b.startBeside(ctx, n)
	for range b.rounds {
		if err != nil {
			return c, err
		}
		b.progress("submitting %d applications beside %d", scaleProbe, n)
		var p probe
		p, err = b.probe(ctx, n)
		c.probes = append(c.probes, p)
	}
	return c, err
}

// startBeside starts an operator beside n applications and measures it.
func (b *bench) startBeside(ctx context.Context, n int) (c crowd, err error) {
	c.n = n
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return c, err
	}
	if _, err := b.user.Apply(ctx, namespace, 1); err != nil {
		return c, err
	}
	drivers, err := load.Count(ctx, b.user.Client, watch.Added, &corev1.PodList{}, client.InNamespace(namespace))
	if err != nil {
		return c, err
	}
	b.progress("starting the operator beside %d applications", n)
	operator, err := host.StartOperator(b.program, b.server)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	at, err := drivers.Wait(ctx, 1)
	if err != nil {
		return c, err
	}
	c.first = at.Sub(operator.Started)
	if c.operator, err = b.atRest(ctx, operator); err != nil {
		return c, err
	}
	return c, b.weigh(ctx, operator, &c)
}

// weigh measures an idle operator and the servers.
func (b *bench) weigh(ctx context.Context, operator *host.Operator, c *crowd) (err error) {
	if c.peak, err = host.Peak(operator.PID()); err != nil {
		return err
	}
	if c.apiserver, c.etcd, err = b.server.Resident(); err != nil {
		return err
	}
	if c.database, err = b.server.DatabaseSize(ctx); err != nil {
		return err
	}
	before, err := operator.CPU()
	if err != nil {
		return err
	}
	if err := sleepFor(ctx, restFor); err != nil {
		return err
	}
	after, err := operator.CPU()
	c.atRest = (after - before).Seconds() / restFor.Seconds()
	return err
}

// probe submits applications to an operator beside a number of others, and then sends the same writes, and three creates, for as many with the
// bare loop. The times of the operator and of the same writes begin with the first apply.
func (b *bench) probe(ctx context.Context, beside int) (p probe, err error) {
	operator, err := b.probeOperator(ctx, beside)
	if err != nil {
		return p, err
	}
	loop, err := load.NewLoop(b.server.Config, b.sample)
	if err != nil {
		return p, err
	}
	same, err := b.probeLoop(ctx, operator, loop)
	if err != nil {
		return p, err
	}
	if err := b.server.CollectGarbage(ctx); err != nil {
		return p, err
	}
	bare, err := b.createTurn(ctx, loop, scaleProbe)
	each := func(d time.Duration) float64 { return 1000 * d.Seconds() / scaleProbe }
	return probe{
		same: same.elapsed.Seconds() / operator.elapsed.Seconds(), creates: bare.elapsed.Seconds() / operator.elapsed.Seconds(),
		operator: each(operator.client), servers: each(operator.servers), loop: each(same.servers), bare: each(bare.servers),
	}, err
}

// probeOperator starts an operator, and submits applications to it once it is idle. Profiles that are requested are those
// of the last round.
func (b *bench) probeOperator(ctx context.Context, beside int) (f figures, err error) {
	f.n = scaleProbe
	operator, err := host.StartOperator(b.program, b.server)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	if err := operator.WaitIdle(ctx); err != nil {
		return f, err
	}
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return f, err
	}
	drivers, err := load.Count(ctx, b.user.Client, watch.Added, &corev1.PodList{}, client.InNamespace(namespace))
	if err != nil {
		return f, err
	}
	queue, err := load.Follow[*v1alpha1.SparkQueue](ctx, b.user.Client, &v1alpha1.SparkQueueList{})
	if err != nil {
		return f, err
	}
	defer queue.Stop()
	earlier, err := operator.CPU()
	if err != nil {
		return f, err
	}
	counted, err := host.CountWrites(ctx, b.server.REST())
	if err != nil {
		return f, err
	}
	if err := b.server.CollectGarbage(ctx); err != nil {
		return f, err
	}
	before, err := b.spent()
	if err != nil {
		return f, err
	}
	profiled := b.profileBoth(ctx, operator, fmt.Sprintf("%s.beside-%d", b.profile, beside))
	defer func() { err = errors.Join(err, <-profiled) }()
	targets, err := b.user.Apply(ctx, namespace, scaleProbe)
	if err != nil {
		return f, err
	}
	end, err := b.countUntil(ctx, operator, drivers, before, &f)
	if err != nil {
		return f, err
	}
	f.client -= earlier
	f.writes = f.writes.Minus(counted)
	f.elapsed, f.queue = end.Sub(before.at), states(writesBetween(queue.Stop(), before.at, end))
	return f, b.settle(ctx, operator, goal{namespace: namespace, n: len(targets), stage: v1alpha1.StartingReason})
}

// probeLoop applies as many applications, and sends the writes of the operator's run for them.
func (b *bench) probeLoop(ctx context.Context, like figures, loop *load.Loop) (f figures, err error) {
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return f, err
	}
	if err := b.server.CollectGarbage(ctx); err != nil {
		return f, err
	}
	before, err := b.spent()
	if err != nil {
		return f, err
	}
	targets, err := b.user.Apply(ctx, namespace, like.n)
	if err != nil {
		return f, err
	}
	applied := time.Since(before.at)
	now, err := b.spent()
	if err != nil {
		return f, err
	}
	f, err = b.loopTurn(ctx, like, targets, loop.Submit)
	f.elapsed += applied
	f.servers += now.servers - before.servers
	return f, errors.Join(err, b.user.Clear(ctx, namespace))
}

func (b *bench) printScale(none, many crowd) {
	mebi := func(bytes int64) string { return fmt.Sprintf("%.0f", float64(bytes)/(1<<20)) }
	t := newTable(b, fmt.Sprintf("Beside %d applications: 96 %% finished, 3 %% waiting, 1 %% running with %d executors each", many.n, scaleExecutors))
	t.row("", "none", fmt.Sprint(many.n), "each, KiB")
	memory := func(name string, of func(*crowd) int64) {
		t.row(name, mebi(of(&none)), mebi(of(&many)), fmt.Sprintf("%.1f", float64(of(&many)-of(&none))/1024/float64(many.n)))
	}
	memory("operator at rest, resident, MiB", func(c *crowd) int64 { return c.operator.resident })
	memory("operator at rest, Go heap, MiB", func(c *crowd) int64 { return c.operator.heap })
	memory("operator, most since its start, MiB", func(c *crowd) int64 { return c.peak })
	memory("kube-apiserver, resident, MiB", func(c *crowd) int64 { return c.apiserver })
	memory("etcd, resident, MiB", func(c *crowd) int64 { return c.etcd })
	memory("etcd, database, MiB", func(c *crowd) int64 { return c.database })
	t.row("CPU of the operator at rest, % of one", fmt.Sprintf("%.2f", 100*none.atRest), fmt.Sprintf("%.2f", 100*many.atRest))
	t.row("from the operator's start to the first driver, s", fmt.Sprintf("%.1f", none.first.Seconds()), fmt.Sprintf("%.1f", many.first.Seconds()))
	probes := func(name, format string, of func(probe) float64) {
		values := func(c crowd) (all []float64) {
			for _, p := range c.probes {
				all = append(all, of(p))
			}
			return all
		}
		t.row(name, spread(format, values(none)), spread(format, values(many)))
	}
	probes(fmt.Sprintf("%d submissions, ratio of the same writes to them", scaleProbe), "%.2f", func(p probe) float64 { return p.same })
	probes("ratio of three creates to them", "%.2f", func(p probe) float64 { return p.creates })
	probes("CPU of the operator for each, ms", "%.1f", func(p probe) float64 { return p.operator })
	probes("CPU of kube-apiserver and etcd for each, ms", "%.1f", func(p probe) float64 { return p.servers })
	probes("the same for a loop with the same writes, ms", "%.1f", func(p probe) float64 { return p.loop })
	probes("the same for three creates, ms", "%.1f", func(p probe) float64 { return p.bare })
	t.end()
}
