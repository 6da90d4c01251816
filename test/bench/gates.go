// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/bench/host"
	"github.com/sparkgate/sparkgate/test/bench/load"
	"github.com/sparkgate/sparkgate/test/systems"
)

// gate is a gate and its settings, with enough quota for all applications.
type gate struct {
	name  v1alpha1.GateType
	queue string
	// system is the system that decides; nil if the operator does.
	system func(systems.Cluster) (*systems.System, error)
	// objects are the objects that it needs, as YAML with the namespace as %[1]s.
	objects []string
}

var gates = []gate{
	{name: v1alpha1.GateNone},
	{name: v1alpha1.GateEmbedded, queue: queueName},
	{name: v1alpha1.GateKueue, queue: "bench", system: func(c systems.Cluster) (*systems.System, error) {
		return systems.NewKueue(c, systems.KueueSettings{})
	}, objects: []string{
		"{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: bench}}",
		`{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: bench}, spec: {namespaceSelector: {}, resourceGroups: [{
			coveredResources: [cpu, memory], flavors: [{name: bench, resources: [{name: cpu, nominalQuota: 10k}, {name: memory, nominalQuota: 10Ti}]}]}]}}`,
		"{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: bench, namespace: %[1]s}, spec: {clusterQueue: bench}}",
	}},
	{name: v1alpha1.GateVolcano, queue: "bench", system: func(c systems.Cluster) (*systems.System, error) {
		return systems.NewVolcano(c, systems.VolcanoSettings{})
	}, objects: []string{"{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: bench}, spec: {weight: 1}}"}},
	{name: v1alpha1.GateYuniKorn, queue: "root.bench", system: func(c systems.Cluster) (*systems.System, error) {
		return systems.NewYuniKorn(c, systems.YuniKornSettings{})
	}},
}

// entrance has the results of a gate: the times between the watch events of an application and of its driver pod, one
// application after the other, and the rate when all come at once.
type entrance struct {
	// driver and trip are in milliseconds.
	driver, trip []float64
	perSecond    float64
}

// measureGates measures how soon each gate admits an application that fits, and how many per second when all come at
// once.
func (b *bench) measureGates(ctx context.Context) error {
	t := newTable(b, "Through the gates, with quota for all: from apply to the driver pod, both as a watch shows them")
	t.row("", "median, ms", "in round trips", fmt.Sprintf("a second, of %d at once", b.through))
	for i := range gates {
		g := &gates[i]
		b.progress("through gate %s", g.name)
		e, err := b.pass(ctx, g)
		if err != nil {
			return fmt.Errorf("gate %s: %w", g.name, err)
		}
		t.row(string(g.name), fmt.Sprintf("%.1f", median(e.driver)), fmt.Sprintf("%.1f", median(e.driver)/median(e.trip)), fmt.Sprintf("%.1f", e.perSecond))
	}
	t.end()
	return nil
}

// pass sends applications through a gate, with a new operator.
func (b *bench) pass(ctx context.Context, g *gate) (e entrance, err error) {
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return e, err
	}
	stop, err := b.installed(ctx, g, namespace)
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	operator, err := host.StartOperator(b.program, b.server)
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	if err := operator.WaitIdle(ctx); err != nil {
		return e, err
	}
	if err := b.oneByOne(ctx, g, namespace, &e); err != nil {
		return e, err
	}
	if err := b.atOnce(ctx, g, namespace, &e); err != nil {
		return e, err
	}
	if err := operator.Stop(); err != nil {
		return e, err
	}
	return e, b.user.Clear(ctx, namespace)
}

// installed starts the system that decides at a gate, and creates its objects. The returned function stops it.
func (b *bench) installed(ctx context.Context, g *gate, namespace string) (stop func() error, err error) {
	if g.system == nil {
		return func() error { return nil }, nil
	}
	root, err := filepath.Abs(filepath.Join(b.crds, "..", "..", ".."))
	if err != nil {
		return nil, err
	}
	system, err := g.system(systems.Cluster{Config: b.server.Config, Kubeconfig: b.server.Kubeconfig, Root: root})
	if err != nil {
		return nil, err
	}
	if err := system.Start(ctx); err != nil {
		return nil, errors.Join(err, system.Close())
	}
	stop = func() error { return errors.Join(system.Uninstall(context.WithoutCancel(ctx)), system.Close()) }
	for _, text := range append([]string{vastNode}, g.objects...) {
		if err := b.apply(ctx, text, namespace); err != nil {
			return nil, errors.Join(err, stop())
		}
	}
	return stop, nil
}

// vastNode has capacity for all applications; no pod runs on it.
const vastNode = `{apiVersion: v1, kind: Node, metadata: {name: vast-%[1]s}, status: {
	capacity: {cpu: 10k, memory: 10Ti, pods: 10k}, allocatable: {cpu: 10k, memory: 10Ti, pods: 10k},
	conditions: [{type: Ready, status: "True", reason: Bench}]}}`

// apply creates an object. The text may contain the namespace as %[1]s.
func (b *bench) apply(ctx context.Context, text, namespace string) error {
	obj := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(fmt.Appendf(nil, text+"%.0[1]s", namespace), obj); err != nil {
		return err
	}
	status := obj.DeepCopy()
	if err := b.user.Client.Create(ctx, obj); err != nil {
		return fmt.Errorf("make %s %s: %w", obj.GetKind(), obj.GetName(), err)
	}
	if obj.GetKind() != "Node" {
		return nil
	}
	// The API server taints new nodes, and ignores their status on creation.
	unstructured.RemoveNestedField(obj.Object, "spec", "taints")
	if err := b.user.Client.Update(ctx, obj); err != nil {
		return err
	}
	status.SetResourceVersion(obj.GetResourceVersion())
	return b.user.Client.Status().Update(ctx, status)
}

// oneByOne measures applications that come at a steady pace.
func (b *bench) oneByOne(ctx context.Context, g *gate, namespace string, e *entrance) error {
	pods, err := load.Follow[*corev1.Pod](ctx, b.user.Client, &corev1.PodList{}, client.InNamespace(namespace))
	if err != nil {
		return err
	}
	defer pods.Stop()
	apps, err := load.Follow[*v1alpha1.SparkApplication](ctx, b.user.Client, &v1alpha1.SparkApplicationList{}, client.InNamespace(namespace))
	if err != nil {
		return err
	}
	defer apps.Stop()
	drivers, err := load.Count(ctx, b.user.Client, watch.Added, &corev1.PodList{}, client.InNamespace(namespace))
	if err != nil {
		return err
	}
	for i := range b.lives {
		if _, err := b.user.ApplyFrom(ctx, namespace, g.some(i, 1)); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Second / pace):
		}
	}
	if _, err := drivers.Wait(ctx, b.lives); err != nil {
		return err
	}
	e.driver = compare(pods.Stop(), apps.Stop()).driver
	e.trip, err = b.timeRoundTrips(ctx, namespace)
	return err
}

// atOnce measures applications that come as fast as they can be applied.
func (b *bench) atOnce(ctx context.Context, g *gate, namespace string, e *entrance) error {
	drivers, err := load.Count(ctx, b.user.Client, watch.Added, &corev1.PodList{}, client.InNamespace(namespace))
	if err != nil {
		return err
	}
	began := time.Now()
	if _, err := b.user.ApplyFrom(ctx, namespace, g.some(b.lives, b.through)); err != nil {
		return err
	}
	limited, cancel := context.WithTimeoutCause(ctx, 15*time.Minute, errors.New("not within 15 minutes"))
	defer cancel()
	// The drivers that exist already come first.
	at, err := drivers.Wait(limited, b.lives+b.through)
	e.perSecond = float64(b.through) / at.Sub(began).Seconds()
	return err
}

// some returns applications that go through the gate.
func (g *gate) some(first, n int) load.Range {
	return load.Range{First: first, N: n, Executors: 2, Queue: g.queue, Gate: g.name}
}
