// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/bench/host"
	"github.com/sparkgate/sparkgate/test/bench/load"
)

// peer is an operator in the comparison.
type peer struct {
	name string
	kind schema.GroupVersionKind
	// label is the label of pods that names their application.
	label string
	start func() (*host.Operator, error)
	// application returns the i-th application.
	application func(namespace string, i int) client.Object
	// stage returns the stage of an application; ended is that of one that has succeeded, failed that of one that never
	// will.
	stage         func(*unstructured.Unstructured) string
	ended, failed string
	// makeEnded creates applications that look as if each had run to its end. The operator does not run meanwhile.
	makeEnded func(ctx context.Context, namespace string, n int) error
}

// peerTurn are the results of one turn of one operator.
type peerTurn struct {
	// submissions are per second.
	submissions float64
	// operator and machine are milliseconds of CPU per application: of the operator with all processes that it starts,
	// and including the API server and etcd.
	operator, machine float64
	// requests are per application: reads and writes of all clients.
	requests float64
	// resident is the peak memory of the operator alone, in MiB.
	resident float64
	// delay is the median in ms.
	delay float64
	// failed counts the applications that were followed to their end.
	failed float64
	// deletion is in seconds.
	deletion float64
}

// peers returns the available operators: this one, and those that environment variables name.
func (b *bench) peers(ctx context.Context) ([]peer, error) {
	if err := b.rehearse(ctx); err != nil {
		return nil, err
	}
	kubeconfig, err := b.tokenKubeconfig(ctx)
	if err != nil {
		return nil, err
	}
	all := []peer{b.sparkgatePeer()}
	for _, other := range []struct {
		name, variable string
		prepare        func(kubeconfig, program string) (peer, error)
	}{
		{"kubeflow's operator", kubeflowVariable, b.kubeflowPeer},
		{"Apache's operator", apacheVariable, b.apachePeer},
	} {
		program := os.Getenv(other.variable)
		if program == "" {
			continue
		}
		p, err := other.prepare(kubeconfig, program)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", other.name, err)
		}
		all = append(all, p)
	}
	return all, nil
}

// measurePeers compares the operators on one API server, in turns.
func (b *bench) measurePeers(ctx context.Context) error {
	peers, err := b.peers(ctx)
	if err != nil {
		return err
	}
	turns := map[string][]peerTurn{}
	for i := range b.rounds {
		for _, p := range peers {
			b.progress("%s, round %d of %d", p.name, i+1, b.rounds)
			turn, err := b.peerTurn(ctx, p)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			turns[p.name] = append(turns[p.name], turn)
		}
	}
	b.printPeers(peers, turns)
	return nil
}

func (b *bench) peerTurn(ctx context.Context, p peer) (turn peerTurn, err error) {
	if err := b.peerSubmits(ctx, p, &turn); err != nil {
		return turn, err
	}
	return turn, b.peerDeletes(ctx, p, &turn)
}

// startIdle starts the operator of a peer and waits until it is idle.
func (p peer) startIdle(ctx context.Context) (*host.Operator, error) {
	operator, err := p.start()
	if err != nil {
		return nil, err
	}
	if err := operator.WaitIdle(ctx); err != nil {
		return nil, errors.Join(err, operator.Stop())
	}
	return operator, nil
}

// peerSubmits applies applications at once and waits for their drivers, which are not scheduled; then it follows a few
// to their end.
func (b *bench) peerSubmits(ctx context.Context, p peer, turn *peerTurn) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 15*time.Minute, errors.New("the drivers were not there, or had not ended, within 15 minutes"))
	defer cancel()
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return err
	}
	operator, err := p.startIdle(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	drivers, err := load.Count(ctx, b.user.Client, watch.Added, &corev1.PodList{}, client.InNamespace(namespace))
	if err != nil {
		return err
	}
	before, err := b.tally(ctx, operator)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := b.peerApply(ctx, p, namespace, b.peerApps); err != nil {
		return err
	}
	at, err := drivers.Wait(ctx, b.peerApps)
	if err != nil {
		_, ended := operator.CPU()
		return errors.Join(err, ended)
	}
	if err := operator.WaitIdle(ctx); err != nil {
		return err
	}
	after, err := b.tally(ctx, operator)
	if err != nil {
		return err
	}
	each := func(d time.Duration) float64 { return milliseconds(d) / float64(b.peerApps) }
	turn.submissions = float64(b.peerApps) / at.Sub(began).Seconds()
	turn.operator, turn.machine = each(after.operator-before.operator), each(after.operator-before.operator+after.servers-before.servers)
	turn.requests = float64(after.requests-before.requests) / float64(b.peerApps)
	peak, err := host.Peak(operator.PID())
	if err != nil {
		return err
	}
	turn.resident = float64(peak) / (1 << 20)
	turn.delay, turn.failed, err = b.peerEnds(ctx, p, min(b.peerApps, peerLives))
	return err
}

// peerLives is the largest number of applications that are followed to their end.
const peerLives = 5

func (b *bench) peerApply(ctx context.Context, p peer, namespace string, n int) error {
	return load.InParallel(ctx, n, func(ctx context.Context, i int) error {
		return b.user.Client.Create(ctx, p.application(namespace, i))
	})
}

// tally is the CPU time that an operator and the servers have used so far, and the number of answered requests.
type tally struct {
	operator, servers time.Duration
	requests          int
}

func (b *bench) tally(ctx context.Context, operator *host.Operator) (t tally, err error) {
	if t.operator, err = operator.TreeCPU(); err != nil {
		return t, err
	}
	if t.servers, err = host.ProcessCPU(b.server.PIDs()...); err != nil {
		return t, err
	}
	count, err := host.CountWrites(ctx, b.server.REST())
	t.requests = count.Done.Total() + count.Failed.Total() + count.Reads.Total()
	return t, err
}

// peerEnds runs the drivers of n applications and ends them. It returns the median delay, in milliseconds, between the
// end of a driver and that of its application as watches show them, and how many applications failed.
func (b *bench) peerEnds(ctx context.Context, p peer, n int) (delay, failed float64, err error) {
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return 0, 0, err
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(p.kind)
	apps, err := load.Follow[*unstructured.Unstructured](ctx, b.user.Client, list, client.InNamespace(namespace))
	if err != nil {
		return 0, 0, err
	}
	defer apps.Stop()
	pods, err := load.Follow[*corev1.Pod](ctx, b.user.Client, &corev1.PodList{}, client.InNamespace(namespace))
	if err != nil {
		return 0, 0, err
	}
	defer pods.Stop()
	node, err := load.StartNode(ctx, b.server.Config, namespace, load.Script{RunFor: time.Second})
	if err != nil {
		return 0, 0, err
	}
	if err = b.peerApply(ctx, p, namespace, n); err == nil {
		failed, err = b.peerAwaitEnds(ctx, p, namespace)
	}
	if err := errors.Join(err, node.Stop()); err != nil {
		return 0, 0, err
	}
	delays := p.delays(pods.Stop(), apps.Stop())
	if len(delays) == 0 {
		return 0, failed, errors.New("no end was seen")
	}
	return median(delays), failed, nil
}

// delays returns the time between the end of each driver and that of its application, in milliseconds.
func (p *peer) delays(pods []load.Event[*corev1.Pod], apps []load.Event[*unstructured.Unstructured]) (delays []float64) {
	ends := map[string]time.Time{}
	for _, e := range pods {
		if name := e.Object.Labels[p.label]; e.Object.Status.Phase == corev1.PodSucceeded && ends[name].IsZero() {
			ends[name] = e.At
		}
	}
	for _, e := range apps {
		if end := ends[e.Object.GetName()]; p.stage(e.Object) == p.ended && !end.IsZero() {
			delays = append(delays, milliseconds(e.At.Sub(end)))
			delete(ends, e.Object.GetName())
		}
	}
	return delays
}

// peerAwaitEnds returns once all applications of a namespace have ended, with the number that failed.
func (b *bench) peerAwaitEnds(ctx context.Context, p peer, namespace string) (failed float64, err error) {
	limited, cancel := context.WithTimeoutCause(ctx, 10*time.Minute, errors.New("the applications did not end within 10 minutes"))
	defer cancel()
	for {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(p.kind)
		if err := b.user.Client.List(limited, list, client.InNamespace(namespace)); err != nil {
			return 0, errors.Join(err, context.Cause(limited))
		}
		left := len(list.Items)
		failed = 0
		for i := range list.Items {
			switch p.stage(&list.Items[i]) {
			case p.failed:
				failed++
				left--
			case p.ended:
				left--
			}
		}
		if left == 0 {
			return failed, nil
		}
		if err := sleepFor(limited, time.Second); err != nil {
			return 0, context.Cause(limited)
		}
	}
}

// peerDeletes times the deletion of applications that have ended.
func (b *bench) peerDeletes(ctx context.Context, p peer, turn *peerTurn) (err error) {
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return err
	}
	if err := p.makeEnded(ctx, namespace, b.peerDeleted); err != nil {
		return err
	}
	operator, err := p.startIdle(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(p.kind)
	if err := b.user.Client.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return err
	}
	gone, err := load.Count(ctx, b.user.Client, watch.Deleted, list.DeepCopy(), client.InNamespace(namespace))
	if err != nil {
		return err
	}
	var waiting sync.WaitGroup
	var at time.Time
	var failed error
	began := time.Now()
	waiting.Go(func() { at, failed = gone.Wait(ctx, len(list.Items)) })
	err = load.InParallel(ctx, len(list.Items), func(ctx context.Context, i int) error {
		return b.user.Client.Delete(ctx, &list.Items[i])
	})
	waiting.Wait()
	turn.deletion = at.Sub(began).Seconds()
	return errors.Join(err, failed)
}

func (b *bench) printPeers(peers []peer, turns map[string][]peerTurn) {
	t := newTable(b, fmt.Sprintf("Side by side: %d applications submitted at once, %d that have ended deleted", b.peerApps, b.peerDeleted))
	names := []string{""}
	for _, p := range peers {
		names = append(names, p.name)
	}
	t.row(names...)
	for _, line := range []struct {
		what, format string
		of           func(peerTurn) float64
	}{
		{"submissions a second", "%.2f", func(t peerTurn) float64 { return t.submissions }},
		{"CPU of the operator and what it starts, ms an application", "%.0f", func(t peerTurn) float64 { return t.operator }},
		{"with API server and etcd, ms an application", "%.0f", func(t peerTurn) float64 { return t.machine }},
		{"requests an application", "%.1f", func(t peerTurn) float64 { return t.requests }},
		{"most memory of the operator's process, MiB", "%.0f", func(t peerTurn) float64 { return t.resident }},
		{"from the end of the driver to that in the status, ms", "%.0f", func(t peerTurn) float64 { return t.delay }},
		{"failed, of those that were followed to their end", "%.0f", func(t peerTurn) float64 { return t.failed }},
		{"deletion, s", "%.1f", func(t peerTurn) float64 { return t.deletion }},
	} {
		row := []string{line.what}
		for _, p := range peers {
			var values []float64
			for _, turn := range turns[p.name] {
				values = append(values, line.of(turn))
			}
			row = append(row, spread(line.format, values))
		}
		t.row(row...)
	}
	t.end()
}

// sparkgatePeer returns this operator.
func (b *bench) sparkgatePeer() peer {
	return peer{
		name: "Sparkgate", kind: v1alpha1.GroupVersion.WithKind("SparkApplication"), label: v1alpha1.ApplicationLabel, ended: v1alpha1.SucceededReason, failed: v1alpha1.FailedReason,
		start:       func() (*host.Operator, error) { return host.StartOperator(b.program, b.server) },
		application: func(namespace string, i int) client.Object { return load.Application(namespace, i, 2) },
		stage: func(app *unstructured.Unstructured) string {
			conditions, _, _ := unstructured.NestedSlice(app.Object, "status", "conditions")
			for _, c := range conditions {
				if fields, is := c.(map[string]any); is && fields["type"] == v1alpha1.ReadyCondition {
					reason, _ := fields["reason"].(string)
					return reason
				}
			}
			return ""
		},
		makeEnded: b.makeFinished,
	}
}
