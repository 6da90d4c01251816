// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/bench/host"
	"github.com/sparkgate/sparkgate/test/bench/load"
)

// scheduled has the costs of many schedules.
type scheduled struct {
	// none and idle are the operator's memory without schedules, and with schedules that are not due.
	none, idle occupied
	// noneRequests and idleRequests are the operator's requests in a minute without schedules, and in one in which none
	// was due.
	noneRequests, idleRequests int
	// first and last are the times from the minute in which all were due until the first and the last application
	// existed.
	first, last time.Duration
	// before is the number of applications that existed when the first driver did.
	before int64
	writes host.Count
}

// rate returns applications per second, from the first to the last.
func (s *scheduled) rate(n int) float64 { return float64(n) / (s.last - s.first).Seconds() }

// measureSchedules measures schedules that are not due, then all of them in the minute in which they are due, and then
// a loop that creates as many applications.
func (b *bench) measureSchedules(ctx context.Context) error {
	s, err := b.followSchedules(ctx)
	if err != nil {
		return err
	}
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return err
	}
	b.progress("creating %d applications in a loop", b.schedules)
	loop, err := b.runLoop(ctx, b.schedules, func(ctx context.Context) (time.Duration, error) {
		begin := time.Now()
		_, err := b.user.Apply(ctx, namespace, b.schedules)
		return time.Since(begin), err
	})
	if err != nil {
		return err
	}
	b.printSchedules(s, &loop)
	return b.user.Clear(ctx, namespace)
}

func (b *bench) followSchedules(ctx context.Context) (s *scheduled, err error) {
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return nil, err
	}
	operator, err := host.StartOperator(b.program, b.server)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	s = &scheduled{}
	if s.none, s.noneRequests, err = b.rest(ctx, operator); err != nil {
		return nil, err
	}
	due := time.Now().Add(90*time.Second + time.Duration(b.schedules)*40*time.Millisecond).Truncate(time.Minute).Add(time.Minute)
	b.progress("creating %d schedules that are due at %s", b.schedules, due.Format(time.TimeOnly))
	if err := b.createSchedules(ctx, namespace, due.UTC()); err != nil {
		return nil, err
	}
	if s.idle, s.idleRequests, err = b.rest(ctx, operator); err != nil {
		return nil, err
	}
	if time.Now().After(due.Add(-time.Second)) {
		return nil, errors.New("the schedules were due before the operator had looked at all of them: try fewer with -schedules, or a machine that is less busy")
	}
	b.progress("waiting until they are due")
	if err := s.run(ctx, b, namespace, due); err != nil {
		return nil, err
	}
	if err := operator.Stop(); err != nil {
		return nil, err
	}
	err = b.user.Client.DeleteAllOf(ctx, &v1alpha1.ScheduledSparkApplication{}, client.InNamespace(namespace))
	return s, errors.Join(err, b.user.Clear(ctx, namespace))
}

func (b *bench) createSchedules(ctx context.Context, namespace string, due time.Time) error {
	spec, err := json.Marshal(load.Application(namespace, 0, 2).Spec)
	if err != nil {
		return err
	}
	return load.InParallel(ctx, b.schedules, func(ctx context.Context, i int) error {
		s := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("nightly-%06d", i)}}
		s.Spec.Schedule = fmt.Sprintf("%d %d %d %d *", due.Minute(), due.Hour(), due.Day(), due.Month())
		s.Spec.Template.Spec = runtime.RawExtension{Raw: spec}
		return b.user.Client.Create(ctx, s)
	})
}

// rest measures the operator while no schedule is due: its memory, and its requests in a minute.
func (b *bench) rest(ctx context.Context, operator *host.Operator) (memory occupied, requests int, err error) {
	if memory, err = b.atRest(ctx, operator); err != nil {
		return memory, 0, err
	}
	before, err := operator.Requests(ctx)
	if err != nil {
		return memory, 0, err
	}
	select {
	case <-ctx.Done():
		return memory, 0, context.Cause(ctx)
	case <-time.After(time.Minute):
	}
	after, err := operator.Requests(ctx)
	return memory, after - before, err
}

// run measures the minute in which all schedules are due.
func (s *scheduled) run(ctx context.Context, b *bench, namespace string, due time.Time) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 30*time.Minute, errors.New("not within 30 minutes"))
	defer cancel()
	apps, err := b.watchNames(ctx, namespace, v1alpha1.GroupVersion.WithKind("SparkApplicationList"))
	if err != nil {
		return err
	}
	defer apps.Stop()
	drivers, err := b.watchNames(ctx, namespace, corev1.SchemeGroupVersion.WithKind("PodList"))
	if err != nil {
		return err
	}
	defer drivers.Stop()
	counted, err := host.CountWrites(ctx, b.server.REST())
	if err != nil {
		return err
	}
	var created atomic.Int64
	var first sync.WaitGroup
	first.Go(func() {
		if <-drivers.ResultChan(); ctx.Err() == nil {
			s.before = created.Load()
		}
	})
	for int(created.Load()) < b.schedules {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d applications were created: %w", created.Load(), b.schedules, context.Cause(ctx))
		case event, open := <-apps.ResultChan():
			switch {
			case !open:
				return errors.New("the watch of applications has ended")
			case event.Type != watch.Added:
				continue
			case created.Add(1) == 1:
				s.first = time.Since(due)
			}
		}
	}
	s.last = time.Since(due)
	now, err := host.CountWrites(ctx, b.server.REST())
	if err != nil {
		return err
	}
	s.writes = now.Minus(counted)
	first.Wait()
	return nil
}

// watchNames watches the metadata of objects of a namespace.
func (b *bench) watchNames(ctx context.Context, namespace string, kind schema.GroupVersionKind) (watch.Interface, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind)
	return b.user.Client.Watch(ctx, list, client.InNamespace(namespace))
}

func (b *bench) printSchedules(s *scheduled, loop *figures) {
	t := newTable(b, fmt.Sprintf("%d schedules, all of them due in the same minute", b.schedules))
	mebi := func(bytes int64) string { return fmt.Sprintf("%.1f", float64(bytes)/(1<<20)) }
	t.row("memory of the operator without schedules, resident and Go heap, MiB", mebi(s.none.resident), mebi(s.none.heap))
	t.row("with schedules that are not due, more by", mebi(s.idle.resident-s.none.resident), mebi(s.idle.heap-s.none.heap), "goal for 10,000: ≤ 40")
	t.row("requests in a minute without schedules (lease and watches)", fmt.Sprint(s.noneRequests))
	t.row("with schedules that are not due, more by", fmt.Sprint(s.idleRequests-s.noneRequests), "", "goal 0")
	t.row("from the minute to the first application, s", fmt.Sprintf("%.2f", s.first.Seconds()))
	t.row("from the first to the last application, s", fmt.Sprintf("%.1f", (s.last-s.first).Seconds()))
	t.row("applications that existed when the first driver did", fmt.Sprint(s.before), "", "goal: not all")
	t.row("applications a second, operator and loop", fmt.Sprintf("%.1f", s.rate(b.schedules)), fmt.Sprintf("%.1f", loop.rate()))
	t.row("ratio", fmt.Sprintf("%.2f", s.rate(b.schedules)/loop.rate()), "", "goal ≥ 0.5")
	perSecond := float64(s.writes.Done.Total()) / (s.last - s.first).Seconds()
	t.row("writes a second meanwhile, drivers included, operator and loop", fmt.Sprintf("%.1f", perSecond), fmt.Sprintf("%.1f", float64(loop.writes.Done.Total())/loop.elapsed.Seconds()))
	t.end()
	for _, kind := range s.writes.Done.Kinds() {
		fmt.Fprintf(b.out, "    %-40s %d\n", kind, s.writes.Done[kind])
	}
}
