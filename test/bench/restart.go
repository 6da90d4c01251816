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

// listPage is the number of applications in one request of the bare client.
const listPage = 500

// measureRestart measures how soon a starting operator makes its first decision: from its start to the driver pod of an
// application that was applied while no operator ran; with hardly any other application, and with many finished ones.
// If another version of the operator is given, the two take turns.
func (b *bench) measureRestart(ctx context.Context) error {
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return err
	}
	programs := []string{b.program}
	if b.other != "" {
		programs = append(programs, b.other)
	}
	few := make([]time.Duration, len(programs))
	for i, program := range programs {
		if few[i], err = b.firstDecision(ctx, program, "few"); err != nil {
			return err
		}
	}
	if err := b.makeFinished(ctx, namespace, b.restart); err != nil {
		return err
	}
	many, ratios := make([][]float64, len(programs)), make([][]float64, len(programs))
	for range b.rounds {
		for i, program := range programs {
			list, err := b.timeList(ctx, namespace)
			if err != nil {
				return err
			}
			took, err := b.firstDecision(ctx, program, "many")
			if err != nil {
				return err
			}
			many[i], ratios[i] = append(many[i], milliseconds(took)), append(ratios[i], float64(took)/float64(list))
		}
	}
	for i, program := range programs {
		t := newTable(b, "From the start of the operator to the driver pod of an application that waits for it: "+program)
		t.row("", "ms", "ratio to a bare LIST of them all")
		t.row("with few others", fmt.Sprintf("%.0f", milliseconds(few[i])), "")
		t.row(fmt.Sprintf("with %d finished ones (goal 1.5)", b.restart), spread("%.0f", many[i]), spread("%.2f", ratios[i]))
		t.end()
	}
	return b.user.Clear(ctx, namespace)
}

// firstDecision starts an operator and returns when the driver pod of a waiting application exists. It needs a free
// lease, which it releases again.
func (b *bench) firstDecision(ctx context.Context, program, half string) (took time.Duration, err error) {
	b.progress("starting the operator, %s applications", half)
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return 0, err
	}
	if _, err := b.user.Apply(ctx, namespace, 1); err != nil {
		return 0, err
	}
	drivers, err := load.Count(ctx, b.user.Client, watch.Added, &corev1.PodList{}, client.InNamespace(namespace))
	if err != nil {
		return 0, err
	}
	began := time.Now()
	operator, err := host.StartOperator(program, b.server)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	at, err := drivers.Wait(ctx, 1)
	if err != nil {
		return 0, err
	}
	return at.Sub(began), b.user.Clear(ctx, namespace)
}

// makeFinished creates applications that look as if each had run to its end, with the spec and the status of one that
// has.
func (b *bench) makeFinished(ctx context.Context, namespace string, n int) error {
	model, err := b.finishedOne(ctx)
	if err != nil {
		return err
	}
	b.progress("making %d finished applications", n)
	return b.user.ApplyFinished(ctx, namespace, n, model)
}

// finishedOne runs an application to its end and returns it.
func (b *bench) finishedOne(ctx context.Context) (*v1alpha1.SparkApplication, error) {
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return nil, err
	}
	node, err := load.StartNode(ctx, b.server.Config, namespace, load.Script{RunFor: time.Millisecond})
	if err != nil {
		return nil, err
	}
	operator, err := host.StartOperator(b.program, b.server)
	if err != nil {
		return nil, errors.Join(err, node.Stop())
	}
	targets, err := b.user.ApplyFrom(ctx, namespace, load.Range{N: 1, Executors: 2})
	if err == nil {
		err = b.await(ctx, operator, namespace, v1alpha1.SucceededReason, 1)
	}
	app := &v1alpha1.SparkApplication{}
	if err == nil {
		err = b.user.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: targets[0].Name}, app)
	}
	if err = errors.Join(err, operator.Stop(), node.Stop()); err != nil {
		return nil, err
	}
	return app, b.user.Clear(ctx, namespace)
}

// timeList measures a bare client that reads all applications of a namespace, page by page.
func (b *bench) timeList(ctx context.Context, namespace string) (time.Duration, error) {
	began := time.Now()
	for token := ""; ; {
		page := &v1alpha1.SparkApplicationList{}
		if err := b.user.Client.List(ctx, page, client.InNamespace(namespace), client.Limit(listPage), client.Continue(token)); err != nil {
			return 0, err
		}
		if token = page.Continue; token == "" {
			return time.Since(began), nil
		}
	}
}
