// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/namespaces"
	"github.com/sparkgate/sparkgate/queueing"
)

// PageSize is how many pods are read in one request. A pod has at most 1.5 MiB, Spark's own have a few KiB.
const PageSize = 64

// Watcher keeps a Store up to date with the Spark pods of the API server. It runs on every replica, whether it is the
// leader or not, so that a new leader has the pods at once.
type Watcher struct {
	client     v1.PodsGetter
	scopes     []string
	store      *Store
	reflectors []*cache.Reflector
}

// NewWatcher returns a watcher that fills store with the pods of a set of namespaces.
func NewWatcher(client v1.PodsGetter, store *Store, in namespaces.Set) *Watcher {
	w := &Watcher{client: client, scopes: in.Scopes(), store: store}
	for _, namespace := range w.scopes {
		w.reflectors = append(w.reflectors, newReflector(client, namespaced{store, namespace}))
	}
	return w
}

// newReflector returns a Reflector that keeps store up to date with the Spark pods of its namespace.
func newReflector(client v1.PodsGetter, store namespaced) *cache.Reflector {
	selected := func(o *metav1.ListOptions) { o.LabelSelector = v1alpha1.ApplicationUIDLabel }
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			selected(&o)
			return listed(ctx, client.Pods(store.namespace), o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			selected(&o)
			return client.Pods(store.namespace).Watch(ctx, o)
		},
	}
	return cache.NewReflectorWithOptions(source, &corev1.Pod{}, store, cache.ReflectorOptions{Name: "spark-pods"})
}

// Start watches until ctx ends. It implements manager.Runnable.
func (w *Watcher) Start(ctx context.Context) error {
	var running sync.WaitGroup
	for _, reflector := range w.reflectors {
		running.Go(func() { reflector.RunWithContext(ctx) })
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
	for _, namespace := range w.scopes {
		if err := w.seed(ctx, namespace); err != nil {
			return err
		}
	}
	return nil
}

func (w *Watcher) seed(ctx context.Context, namespace string) error {
	options := metav1.ListOptions{LabelSelector: v1alpha1.ApplicationUIDLabel, Limit: PageSize}
	var all []any
	for {
		page, err := w.client.Pods(namespace).List(ctx, options)
		if err != nil {
			return fmt.Errorf("list spark pods: %w", err)
		}
		for i := range page.Items {
			all = append(all, &kept{Record: RecordOf(&page.Items[i])})
		}
		if options.Continue = page.Continue; options.Continue == "" {
			return w.store.replace(namespace, all, page.ResourceVersion)
		}
	}
}

// listed returns the complete list for a Reflector whose API server cannot stream it. It reads page by page, and keeps
// only the fields of each pod that its record needs. It sets no resource version, because an API server ignores the
// page limit when it answers from its cache.
func listed(ctx context.Context, pods v1.PodInterface, o metav1.ListOptions) (*corev1.PodList, error) {
	o.ResourceVersion, o.ResourceVersionMatch, o.Limit, o.Continue = "", "", PageSize, ""
	var all []corev1.Pod
	for {
		page, err := pods.List(ctx, o)
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			all = append(all, *Lean(&page.Items[i]))
		}
		if o.Continue = page.Continue; o.Continue == "" {
			page.Items = all
			return page, nil
		}
	}
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
