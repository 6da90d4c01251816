// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/bench/host"
)

// The kinds of writes that the loop can make.
var (
	FinalizerPatch = host.Kind{Verb: "PATCH", Resource: "sparkapplications"}
	StatusPatch    = host.Kind{Verb: "PATCH", Resource: "sparkapplications", Subresource: "status"}
	QueuePatch     = host.Kind{Verb: "PATCH", Resource: "sparkqueues", Subresource: "status"}
	ConfigMapPost  = host.Kind{Verb: "POST", Resource: "configmaps"}
	ServicePost    = host.Kind{Verb: "POST", Resource: "services"}
	PodPost        = host.Kind{Verb: "POST", Resource: "pods"}
	PodDelete      = host.Kind{Verb: "DELETE", Resource: "pods"}
	ServiceDelete  = host.Kind{Verb: "DELETE", Resource: "services"}
)

// Loop is the bare client loop: typed clients, protobuf where the API server supports it, no rate limit, no cache and
// no decisions.
type Loop struct {
	core   corev1client.CoreV1Interface
	ours   rest.Interface
	sample *Sample
}

// NewLoop returns a loop that repeats a sample.
func NewLoop(config *rest.Config, sample *Sample) (*Loop, error) {
	binary := rest.CopyConfig(config)
	binary.ContentType = "application/vnd.kubernetes.protobuf"
	binary.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	clients, err := kubernetes.NewForConfig(binary)
	if err != nil {
		return nil, fmt.Errorf("create client: %w", err)
	}
	text := rest.CopyConfig(config)
	text.APIPath, text.GroupVersion = "/apis", &schema.GroupVersion{Group: v1alpha1.GroupVersion.Group, Version: v1alpha1.GroupVersion.Version}
	text.NegotiatedSerializer = serializer.WithoutConversionCodecFactory{CodecFactory: clientgoscheme.Codecs}
	ours, err := rest.RESTClientFor(text)
	if err != nil {
		return nil, fmt.Errorf("make a client for applications: %w", err)
	}
	return &Loop{core: clients.CoreV1(), ours: ours, sample: sample}, nil
}

// Queues are the writes to a queue during a run: the statuses that the queue went through, spread evenly over the run.
type Queues struct {
	Name     string
	Statuses []*v1alpha1.SparkQueue
}

// Submit sends the given writes for the targets, and returns how long that took. The writes of a kind are spread evenly
// over the targets; those of one target are sent one after the other, in the operator's order.
func (l *Loop) Submit(ctx context.Context, targets []Target, writes host.Writes, queues Queues) (time.Duration, error) {
	plan, err := l.planSubmit(targets, writes)
	if err != nil {
		return 0, err
	}
	return l.run(ctx, plan, queues)
}

// Create sends only the creates of ConfigMap, Service and pod for each target.
func (l *Loop) Create(ctx context.Context, targets []Target) (time.Duration, error) {
	n := len(targets)
	return l.Submit(ctx, targets, host.Writes{ConfigMapPost: n, ServicePost: n, PodPost: n}, Queues{})
}

// Remove sends the given writes for targets that were submitted and whose deletion has been requested.
func (l *Loop) Remove(ctx context.Context, targets []Target, writes host.Writes, queues Queues) (time.Duration, error) {
	plan := make([][]step, len(targets))
	for i := range targets {
		t := &targets[i]
		share := func(kind host.Kind) int { return share(writes[kind], len(targets), i) }
		for range share(PodDelete) {
			plan[i] = append(plan[i], func(ctx context.Context) error { return l.deletePod(ctx, t) })
		}
		for range share(FinalizerPatch) {
			plan[i] = append(plan[i], func(ctx context.Context) error {
				return l.patch(ctx, t, "", `{"metadata":{"finalizers":null,"resourceVersion":"{version}"}}`)
			})
		}
	}
	return l.run(ctx, plan, queues)
}

// step is one write for one target.
type step func(ctx context.Context) error

// share returns how many of total writes belong to the i-th of n targets.
func share(total, n, i int) int { return total*(i+1)/n - total*i/n }

func (l *Loop) planSubmit(targets []Target, writes host.Writes) ([][]step, error) {
	plan := make([][]step, len(targets))
	for i := range targets {
		t := &targets[i]
		share := func(kind host.Kind) int { return share(writes[kind], len(targets), i) }
		for range share(FinalizerPatch) {
			plan[i] = append(plan[i], l.patchStep(t, "", l.sample.finalizer))
		}
		statuses := l.statusSteps(t, share(StatusPatch))
		plan[i] = append(plan[i], statuses[:min(1, len(statuses))]...)
		creates, err := l.createSteps(t, share)
		if err != nil {
			return nil, err
		}
		plan[i] = append(plan[i], creates...)
		plan[i] = append(plan[i], statuses[min(1, len(statuses)):]...)
	}
	return plan, nil
}

// statusSteps returns the first n status writes of a target. If the operator wrote more often than for the sample, the
// last one is repeated with a change.
func (l *Loop) statusSteps(t *Target, n int) []step {
	steps := make([]step, 0, n)
	for k := range n {
		if k < len(l.sample.statuses) {
			steps = append(steps, l.patchStep(t, "status", l.sample.statuses[k]))
			continue
		}
		text := fmt.Sprintf(`{"metadata":{"resourceVersion":"{version}"},"status":{"lastHandledReconcileAt":"%d"}}`, k)
		steps = append(steps, l.patchStep(t, "status", text))
	}
	return steps
}

func (l *Loop) patchStep(t *Target, subresource, text string) step {
	return func(ctx context.Context) error { return l.patch(ctx, t, subresource, text) }
}

// createSteps renders the objects in advance, so that rendering is not part of the measured time.
func (l *Loop) createSteps(t *Target, share func(host.Kind) int) ([]step, error) {
	var steps []step
	if share(ConfigMapPost) > 0 {
		obj, err := renderObject(l.sample, l.sample.configMap, t)
		if err != nil {
			return nil, err
		}
		steps = append(steps, func(ctx context.Context) error {
			_, err := l.core.ConfigMaps(t.Namespace).Create(ctx, obj, created)
			return err
		})
	}
	if share(ServicePost) > 0 {
		obj, err := renderObject(l.sample, l.sample.service, t)
		if err != nil {
			return nil, err
		}
		steps = append(steps, func(ctx context.Context) error {
			_, err := l.core.Services(t.Namespace).Create(ctx, obj, created)
			return err
		})
	}
	if share(PodPost) > 0 {
		obj, err := renderObject(l.sample, l.sample.pod, t)
		if err != nil {
			return nil, err
		}
		steps = append(steps, func(ctx context.Context) error { return l.createPod(ctx, t, obj) })
	}
	return steps, nil
}

// created are the options of every create: the operator also sets a field manager.
var created = metav1.CreateOptions{FieldManager: "bench"}

func (l *Loop) createPod(ctx context.Context, t *Target, pod *corev1.Pod) error {
	_, err := l.core.Pods(t.Namespace).Create(ctx, pod, created)
	return err
}

// deletePod deletes the pod. If the operator deleted some pods twice, the second request finds nothing.
func (l *Loop) deletePod(ctx context.Context, t *Target) error {
	err := l.core.Pods(t.Namespace).Delete(ctx, l.sample.render(l.sample.pod.Name, t), metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// patch sends a merge patch that requires the resource version of the last answer.
func (l *Loop) patch(ctx context.Context, t *Target, subresource, text string) error {
	request := l.ours.Patch(types.MergePatchType).Namespace(t.Namespace).Resource("sparkapplications").Name(t.Name).
		Param("fieldManager", "bench").Body([]byte(l.sample.render(text, t)))
	if subresource != "" {
		request = request.SubResource(subresource)
	}
	answer, err := request.DoRaw(ctx)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("patch %s: %w", t.Name, err)
	}
	var obj struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(answer, &obj); err != nil {
		return err
	}
	t.Version = obj.Metadata.ResourceVersion
	return nil
}

// run carries out a plan: targets in parallel, the writes of each in order, those of the queue in between.
func (l *Loop) run(ctx context.Context, plan [][]step, queues Queues) (time.Duration, error) {
	due := make(map[int][][]byte, len(queues.Statuses))
	for k, queue := range queues.Statuses {
		body, err := json.Marshal(map[string]any{"status": queue.Status})
		if err != nil {
			return 0, err
		}
		i := k * len(plan) / len(queues.Statuses)
		due[i] = append(due[i], body)
	}
	begin := time.Now()
	err := each(ctx, len(plan), func(ctx context.Context, i int) error {
		for _, body := range due[i] {
			if err := l.patchQueue(ctx, queues.Name, body); err != nil {
				return err
			}
		}
		for _, do := range plan[i] {
			if err := do(ctx); err != nil {
				return fmt.Errorf("bare loop: %w", err)
			}
		}
		return nil
	})
	return time.Since(begin), err
}

func (l *Loop) patchQueue(ctx context.Context, name string, body []byte) error {
	_, err := l.ours.Patch(types.MergePatchType).Resource("sparkqueues").Name(name).SubResource("status").
		Param("fieldManager", "bench").Body(body).DoRaw(ctx)
	if err != nil {
		return fmt.Errorf("patch queue %s: %w", name, err)
	}
	return nil
}
