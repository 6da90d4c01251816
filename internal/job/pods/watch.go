// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/namespaces"
	"github.com/sparkgate/sparkgate/queueing"
)

// Watcher keeps a Store up to date with the Spark pods of the API server. It runs on every replica, whether it is the
// leader or not, so that a new leader has the pods at once.
type Watcher struct {
	store   *Store
	sources []Source
}

// NewWatcher returns a watcher that fills store with the pods of a set of namespaces.
func NewWatcher(client v1.PodsGetter, store *Store, in namespaces.Set) *Watcher {
	w := &Watcher{store: store}
	for _, namespace := range in.Scopes() {
		w.sources = append(w.sources, Source{Client: client, Namespace: namespace, Selector: v1alpha1.ApplicationUIDLabel})
	}
	return w
}

// Start watches until ctx ends. It implements manager.Runnable.
func (w *Watcher) Start(ctx context.Context) error {
	var running sync.WaitGroup
	for _, source := range w.sources {
		running.Go(func() { Reflect(ctx, source, w.store.Cache) })
	}
	running.Wait()
	return nil
}

// Store returns the store that the watcher fills.
func (w *Watcher) Store() *Store { return w.store }

// NeedLeaderElection returns false: standby replicas watch too.
func (w *Watcher) NeedLeaderElection() bool { return false }

// Seed updates the store with a consistent LIST of the API server. A new leader calls it before its first decision,
// because its watch may lag behind what the previous leader did. Events of the watch that are older than the LIST do
// not undo it.
func (w *Watcher) Seed(ctx context.Context) error {
	for _, source := range w.sources {
		if err := Fill(ctx, source, w.store.Cache); err != nil {
			return err
		}
	}
	return nil
}

// Lean removes the fields of a pod that may be large and are not in its record. If the pod has more entries than are
// remembered, one more than that limit is kept, so that the record still shows the excess.
func Lean(pod *corev1.Pod) *corev1.Pod {
	pod.ManagedFields, pod.Annotations, pod.Finalizers = nil, nil, nil
	pod.Spec.NodeSelector = queueing.NodeLabels(&pod.Spec)
	pod.Spec.Volumes, pod.Spec.Affinity = nil, nil
	pod.Spec.Tolerations = slices.Clone(pod.Spec.Tolerations[:min(len(pod.Spec.Tolerations), maxListed+1)])
	pod.Labels, pod.Spec.NodeSelector = leanLabels(pod.Labels), leanSelector(pod.Spec.NodeSelector)
	for _, containers := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range containers {
			c := &containers[i]
			c.Env = slices.DeleteFunc(c.Env, func(v corev1.EnvVar) bool { return !startsSpark(v) })
			c.EnvFrom, c.Command, c.Args, c.VolumeMounts = nil, nil, nil, nil
			c.Lifecycle, c.LivenessProbe, c.ReadinessProbe, c.StartupProbe = nil, nil, nil, nil
		}
	}
	return pod
}

// readLabels are the labels that are read, of pods of applications and of unmanaged pods.
var readLabels = []string{
	v1alpha1.ApplicationLabel, v1alpha1.ApplicationUIDLabel, v1alpha1.RunLabel, v1alpha1.AttemptLabel, v1alpha1.QueueLabel, v1alpha1.FlavorLabel,
	v1alpha1.SparkRoleLabel, v1alpha1.SparkSelectorLabel,
}

// leanLabels returns the labels that are read, or one of the others if there are none: a pod without any label is
// treated differently.
func leanLabels(labels map[string]string) map[string]string {
	kept := map[string]string{}
	for key, value := range labels {
		if slices.Contains(readLabels, key) || len(kept) == 0 {
			kept[key] = value
		}
	}
	return kept
}

// leanSelector returns a node selector cut to one entry above the limit, so that it still exceeds the limit.
func leanSelector(selector map[string]string) map[string]string {
	if len(selector) <= maxListed {
		return selector
	}
	kept := map[string]string{}
	for key, value := range selector {
		if kept[key] = value; len(kept) > maxListed {
			break
		}
	}
	return kept
}
