// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/bench/host"
	"github.com/sparkgate/sparkgate/test/bench/load"
)

// roundTrips is the number of timed writes of a bare client.
const roundTrips = 50

// latencies are times in milliseconds. driver is from the watch event of a new application to that of its driver pod;
// runs and ended are from the watch event of a driver pod's change to that of the application's stage which reflects
// it; roundTrip is that of a bare write.
type latencies struct{ driver, runs, ended, roundTrip []float64 }

// measureLatency measures how soon conditions follow pods.
func (b *bench) measureLatency(ctx context.Context) error {
	b.progress("timing %d applications", b.lives)
	var l latencies
	_, err := b.account(ctx, prompt, func(operator *host.Operator, namespace string) (err error) {
		l, err = b.follow(ctx, operator, namespace)
		return err
	})
	if err != nil {
		return err
	}
	t := newTable(b, "From what happens to what the operator does about it, both as a watch shows them")
	t.row("", "median, ms", "in round trips")
	trip := median(l.roundTrip)
	for _, line := range []struct {
		what   string
		values []float64
	}{
		{"the application is applied → its driver pod is there", l.driver},
		{"the driver runs → Running", l.runs},
		{"the driver and its executors have ended → Succeeded", l.ended},
		{"a bare client patches the status of an application", l.roundTrip},
	} {
		t.row(line.what, fmt.Sprintf("%.1f", median(line.values)), fmt.Sprintf("%.2f", median(line.values)/trip))
	}
	t.end()
	return nil
}

// follow follows applications of a namespace, and their pods, from apply to succeeded.
func (b *bench) follow(ctx context.Context, operator *host.Operator, namespace string) (l latencies, err error) {
	pods, err := load.Follow[*corev1.Pod](ctx, b.user.Client, &corev1.PodList{}, client.InNamespace(namespace))
	if err != nil {
		return l, err
	}
	defer pods.Stop()
	apps, err := load.Follow[*v1alpha1.SparkApplication](ctx, b.user.Client, &v1alpha1.SparkApplicationList{}, client.InNamespace(namespace))
	if err != nil {
		return l, err
	}
	defer apps.Stop()
	if err := b.trickle(ctx, namespace, pace); err != nil {
		return l, err
	}
	if err := b.await(ctx, operator, namespace, v1alpha1.SucceededReason, b.lives); err != nil {
		return l, err
	}
	l = compare(pods.Stop(), apps.Stop())
	if len(l.driver) == 0 || len(l.runs) == 0 || len(l.ended) == 0 {
		return l, errors.New("nothing was heard of")
	}
	l.roundTrip, err = b.timeRoundTrips(ctx, namespace)
	return l, err
}

// moments are the times at which the pods of an application were first seen: its driver created, its driver running,
// the last of them ended.
type moments struct{ made, runs, ended time.Time }

func momentsOf(pods []load.Event[*corev1.Pod]) map[types.UID]*moments {
	all := map[types.UID]*moments{}
	for _, e := range pods {
		uid := types.UID(e.Object.Labels[v1alpha1.ApplicationUIDLabel])
		if all[uid] == nil {
			all[uid] = &moments{}
		}
		m, isDriver := all[uid], e.Object.Labels[v1alpha1.SparkRoleLabel] == v1alpha1.SparkRoleDriver
		switch {
		case isDriver && e.Type == watch.Added:
			m.made = e.At
		case isDriver && e.Object.Status.Phase == corev1.PodRunning && m.runs.IsZero():
			m.runs = e.At
		case e.Object.Status.Phase == corev1.PodSucceeded || e.Type == watch.Deleted:
			m.ended = e.At
		}
	}
	return all
}

// compare computes the delays between the events of pods and those of the applications.
func compare(pods []load.Event[*corev1.Pod], apps []load.Event[*v1alpha1.SparkApplication]) (l latencies) {
	all, told := momentsOf(pods), map[types.UID]string{}
	for _, e := range apps {
		m, stage := all[e.Object.UID], load.StageOf(e.Object)
		if m == nil {
			continue
		}
		switch {
		case e.Type == watch.Added:
			l.driver = append(l.driver, milliseconds(m.made.Sub(e.At)))
		case told[e.Object.UID] == stage:
		case stage == v1alpha1.RunningReason:
			l.runs = append(l.runs, milliseconds(e.At.Sub(m.runs)))
		case stage == v1alpha1.SucceededReason:
			l.ended = append(l.ended, milliseconds(e.At.Sub(m.ended)))
		}
		told[e.Object.UID] = stage
	}
	return l
}

// timeRoundTrips times writes of a bare client to the status of an application, one after the other.
func (b *bench) timeRoundTrips(ctx context.Context, namespace string) ([]float64, error) {
	targets, err := b.user.Targets(ctx, namespace, "a")
	if err != nil {
		return nil, err
	}
	if len(targets) == 0 {
		return nil, errors.New("no application is there")
	}
	app := &v1alpha1.SparkApplication{}
	app.Namespace, app.Name = namespace, targets[0].Name
	var times []float64
	for i := range roundTrips {
		patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"status":{"lastHandledReconcileAt":"%d"}}`, i))
		began := time.Now()
		if err := b.user.Client.Status().Patch(ctx, app, patch); err != nil {
			return nil, fmt.Errorf("patch a status: %w", err)
		}
		times = append(times, milliseconds(time.Since(began)))
	}
	return times, nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
