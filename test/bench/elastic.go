// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/bench/host"
	"github.com/sparkgate/sparkgate/test/bench/load"
)

// maxConcurrentUngates is the number of gates that the operator removes in parallel, and so does the loop.
const maxConcurrentUngates = 8

// elasticGates are the gates whose grants grow, the operator's own first.
var elasticGates = []*gate{&gates[1], &gates[2]}

// measureElastic measures how fast the scheduling gates of executors are removed, compared with a bare loop of the same
// patches.
func (b *bench) measureElastic(ctx context.Context) error {
	var ungated, bare, ratio, underKueue []float64
	for round := range b.rounds {
		b.progress("letting %d executors in, round %d", b.gated, round+1)
		operator, err := b.ungateByOperator(ctx, elasticGates[0])
		if err != nil {
			return err
		}
		loop, err := b.ungateByLoop(ctx)
		if err != nil {
			return err
		}
		kueue, err := b.ungateByOperator(ctx, elasticGates[1])
		if err != nil {
			return fmt.Errorf("gate %s: %w", elasticGates[1].name, err)
		}
		ungated, bare, ratio, underKueue = append(ungated, operator), append(bare, loop), append(ratio, operator/loop), append(underKueue, kueue)
	}
	fmt.Fprintf(b.out, "\nScheduling gates of the executors of one application, lifted in a second\n")
	fmt.Fprintf(b.out, "  by the operator, once quota is there    %s\n", spread("%.0f", ungated))
	fmt.Fprintf(b.out, "  by a bare loop of the same patches      %s\n", spread("%.0f", bare))
	fmt.Fprintf(b.out, "  ratio                                   %s\n", spread("%.2f", ratio))
	fmt.Fprintf(b.out, "  by the operator, as Kueue admits them   %s\n", spread("%.0f", underKueue))
	return nil
}

// ungateByOperator starts an operator that finds many gated executors of a running application, and returns how many
// gates it removes per second.
func (b *bench) ungateByOperator(ctx context.Context, g *gate) (perSecond float64, err error) {
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return 0, err
	}
	stop, err := b.installed(ctx, g, namespace)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	driver, err := b.growing(ctx, g, namespace)
	if err != nil {
		return 0, err
	}
	if _, err := b.makeGated(ctx, driver); err != nil {
		return 0, err
	}
	pods, err := load.Follow[*corev1.Pod](ctx, b.user.Client, &corev1.PodList{}, client.InNamespace(namespace))
	if err != nil {
		return 0, err
	}
	defer pods.Stop()
	operator, err := host.StartOperator(b.program, b.server)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	if err := b.awaitLetIn(ctx, namespace); err != nil {
		return 0, err
	}
	return letInPerSecond(pods.Stop()), b.user.Clear(ctx, namespace)
}

// letInPerSecond returns the number of executors per second whose gates were removed, from the first to the last.
func letInPerSecond(events []load.Event[*corev1.Pod]) float64 {
	var first, last time.Time
	seen := map[types.UID]bool{}
	for _, e := range events {
		if len(e.Object.Spec.SchedulingGates) > 0 || e.Object.Labels[v1alpha1.FlavorLabel] == "" || seen[e.Object.UID] {
			continue
		}
		seen[e.Object.UID] = true
		if last = e.At; first.IsZero() {
			first = e.At
		}
	}
	return float64(len(seen)-1) / last.Sub(first).Seconds()
}

// growing brings an application that may have many executors to the stage Running, and stops its operator.
func (b *bench) growing(ctx context.Context, g *gate, namespace string) (driver *corev1.Pod, err error) {
	node, err := load.StartNode(ctx, b.server.Config, namespace, load.Script{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, node.Stop()) }()
	operator, err := host.StartOperator(b.program, b.server)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	if err := b.user.Client.Create(ctx, elasticApp(namespace, g, int32(b.gated))); err != nil {
		return nil, fmt.Errorf("apply an application: %w", err)
	}
	if err := b.user.AwaitStage(ctx, namespace, v1alpha1.RunningReason, 1); err != nil {
		return nil, err
	}
	list := &corev1.PodList{}
	err = b.user.Client.List(ctx, list, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.SparkRoleLabel: v1alpha1.SparkRoleDriver})
	if err == nil && len(list.Items) != 1 {
		err = fmt.Errorf("%d drivers are there", len(list.Items))
	}
	if err != nil {
		return nil, err
	}
	return &list.Items[0], nil
}

func elasticApp(namespace string, g *gate, most int32) *v1alpha1.SparkApplication {
	role := v1alpha1.PodRole{Cores: ptr.To[int32](1), CoreRequest: "200m", Memory: "512m"}
	return &v1alpha1.SparkApplication{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "elastic"},
		Spec: v1alpha1.SparkApplicationSpec{
			Type: v1alpha1.PythonApplication, SparkVersion: "4.1.4", Image: "spark:4.1", MainApplicationFile: "local:///main.py",
			Queue:  &v1alpha1.QueueReference{Gate: g.name, Name: g.queue},
			Driver: v1alpha1.DriverSpec{PodRole: role}, Executor: v1alpha1.ExecutorSpec{PodRole: role},
			DynamicAllocation: &v1alpha1.DynamicAllocation{Enabled: true, MaxExecutors: &most},
		},
	}
}

// makeGated creates executors of a driver as Spark does, behind the scheduling gate.
func (b *bench) makeGated(ctx context.Context, driver *corev1.Pod) ([]*corev1.Pod, error) {
	made := make([]*corev1.Pod, b.gated)
	return made, load.InParallel(ctx, b.gated, func(ctx context.Context, i int) error {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: driver.Namespace, Name: fmt.Sprintf("%s-exec-%d", driver.Name, i+1), Labels: map[string]string{},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: driver.Name, UID: driver.UID, Controller: ptr.To(true)}},
		}}
		for name, value := range driver.Labels {
			pod.Labels[name] = value
		}
		pod.Labels[v1alpha1.SparkRoleLabel] = v1alpha1.SparkRoleExecutor
		pod.Spec = corev1.PodSpec{
			SchedulingGates: []corev1.PodSchedulingGate{{Name: v1alpha1.QuotaSchedulingGate}},
			Containers: []corev1.Container{{Name: "spark-kubernetes-executor", Image: "spark:4.1", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{"cpu": resource.MustParse("200m"), "memory": resource.MustParse("896Mi")},
			}}},
		}
		made[i] = pod
		return b.user.Client.Create(ctx, pod)
	})
}

// awaitLetIn waits until no executor is behind its scheduling gate.
func (b *bench) awaitLetIn(ctx context.Context, namespace string) error {
	for {
		list := &corev1.PodList{}
		if err := b.user.Client.List(ctx, list, client.InNamespace(namespace), client.HasLabels{v1alpha1.FlavorLabel}); err != nil {
			return err
		}
		if len(list.Items) >= b.gated {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d executors are let in: %w", len(list.Items), b.gated, context.Cause(ctx))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// ungateByLoop removes the gates of as many pods, with the same patch as the operator.
func (b *bench) ungateByLoop(ctx context.Context) (perSecond float64, err error) {
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return 0, err
	}
	driver, err := b.growing(ctx, elasticGates[0], namespace)
	if err != nil {
		return 0, err
	}
	pods, err := b.makeGated(ctx, driver)
	if err != nil {
		return 0, err
	}
	slots := make(chan struct{}, maxConcurrentUngates)
	began := time.Now()
	err = load.InParallel(ctx, len(pods), func(ctx context.Context, i int) error {
		slots <- struct{}{}
		defer func() { <-slots }()
		patch := fmt.Appendf(nil, `[{"op":"test","path":"/metadata/resourceVersion","value":%q},`+
			`{"op":"test","path":"/spec/schedulingGates/0/name","value":%q},`+
			`{"op":"add","path":"/metadata/labels/sparkgate.io~1flavor","value":"default"},{"op":"remove","path":"/spec/schedulingGates/0"}]`,
			pods[i].ResourceVersion, v1alpha1.QuotaSchedulingGate)
		return b.user.Client.Patch(ctx, pods[i].DeepCopy(), client.RawPatch(types.JSONPatchType, patch))
	})
	if err != nil {
		return 0, fmt.Errorf("lift gates: %w", err)
	}
	return float64(len(pods)) / time.Since(began).Seconds(), b.user.Clear(ctx, namespace)
}
