// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/bench/host"
)

const (
	// nodeName is the node that all pods run on. It does not exist.
	nodeName = "bench-node"
	// appSelector is Spark's label of all objects of one run.
	appSelector = "spark-app-selector"
)

// Script says what happens to a driver after it was created.
type Script struct {
	// StartAfter is the time until the driver runs.
	StartAfter time.Duration
	// Executors is the number of executors that the driver creates once it runs, and ExecutorsAfter the time until they
	// run.
	Executors      int
	ExecutorsAfter time.Duration
	// RunFor is the time that the driver runs; zero means for ever.
	RunFor time.Duration
	// EndsIn is the time that executors take to end after the driver has deleted them.
	EndsIn time.Duration
}

// The kinds of writes that only the node sends.
var (
	podBinding = host.Kind{Verb: "POST", Resource: "pods", Subresource: "binding"}
	podStatus  = host.Kind{Verb: "PUT", Resource: "pods", Subresource: "status"}
)

// Node stands in for scheduler, kubelet and Spark in one namespace.
type Node struct {
	client    kubernetes.Interface
	namespace string
	script    Script
	watch     watch.Interface
	running   sync.WaitGroup
	// busy limits the number of parallel requests.
	busy   chan struct{}
	cancel context.CancelCauseFunc
	ctx    context.Context

	mu     sync.Mutex
	writes host.Writes
}

// StartNode runs the drivers that are created in a namespace. The caller has to stop it.
func StartNode(ctx context.Context, config *rest.Config, namespace string, script Script) (*Node, error) {
	binary := rest.CopyConfig(config)
	binary.ContentType = "application/vnd.kubernetes.protobuf"
	binary.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	client, err := kubernetes.NewForConfig(binary)
	if err != nil {
		return nil, fmt.Errorf("create client: %w", err)
	}
	stream, err := watchPods(ctx, client, namespace)
	if err != nil {
		return nil, fmt.Errorf("watch pods: %w", err)
	}
	n := &Node{client: client, namespace: namespace, script: script, watch: stream, busy: make(chan struct{}, 2*Workers),
		writes: host.Writes{}}
	n.ctx, n.cancel = context.WithCancelCause(ctx)
	n.running.Go(n.follow)
	return n, nil
}

// watchPods watches the pods of a namespace from now on. It resumes when the API server closes the watch, as it does
// with slow readers.
func watchPods(ctx context.Context, c kubernetes.Interface, namespace string) (watch.Interface, error) {
	list, err := c.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return nil, err
	}
	return watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return c.CoreV1().Pods(namespace).Watch(ctx, o)
		},
	})
}

// Stop ends the node; its pods stay as they are. It returns the first error of the node.
func (n *Node) Stop() error {
	err := context.Cause(n.ctx)
	n.cancel(nil)
	n.watch.Stop()
	n.running.Wait()
	return err
}

// Writes returns the writes of the node so far.
func (n *Node) Writes() host.Writes {
	n.mu.Lock()
	defer n.mu.Unlock()
	return maps.Clone(n.writes)
}

func (n *Node) follow() {
	seen := map[types.UID]bool{}
	ending := map[types.UID]bool{}
	for event := range n.watch.ResultChan() {
		pod, ok := event.Object.(*corev1.Pod)
		if !ok || event.Type == watch.Deleted {
			continue
		}
		driver := pod.Labels[v1alpha1.SparkRoleLabel] == v1alpha1.SparkRoleDriver
		switch {
		case pod.DeletionTimestamp != nil && !ending[pod.UID]:
			ending[pod.UID] = true
			n.running.Go(func() { n.end(pod) })
		case driver && !seen[pod.UID]:
			seen[pod.UID] = true
			n.running.Go(func() { n.live(pod) })
		}
	}
}

// live plays the script for one driver.
func (n *Node) live(driver *corev1.Pod) {
	n.wait(n.script.StartAfter)
	n.bind(driver)
	n.setStatus(driver, running(driver))
	executors := make([]*corev1.Pod, n.script.Executors)
	for i := range executors {
		executors[i] = n.createExecutor(driver, i+1)
	}
	if len(executors) > 0 {
		n.wait(n.script.ExecutorsAfter)
	}
	for _, executor := range executors {
		if executor != nil {
			n.setStatus(executor, running(executor))
		}
	}
	if n.script.RunFor == 0 {
		return
	}
	n.wait(n.script.RunFor - n.script.ExecutorsAfter)
	for _, executor := range executors {
		if executor != nil {
			n.do(PodDelete, func(ctx context.Context) error {
				return n.client.CoreV1().Pods(n.namespace).Delete(ctx, executor.Name, metav1.DeleteOptions{})
			})
		}
	}
	n.deleteService(driver)
	n.setStatus(driver, succeeded(driver))
}

// deleteService deletes the driver's Service, as Spark does when its context stops (KubernetesClusterSchedulerBackend.stop,
// spark.kubernetes.driver.service.deleteOnTermination).
func (n *Node) deleteService(driver *corev1.Pod) {
	services, err := n.client.CoreV1().Services(n.namespace).List(n.ctx, metav1.ListOptions{
		LabelSelector: labels.Set{appSelector: driver.Labels[appSelector]}.String(),
	})
	if err != nil && n.ctx.Err() == nil {
		n.cancel(fmt.Errorf("node: list services: %w", err))
		return
	}
	for i := range services.Items {
		n.do(ServiceDelete, func(ctx context.Context) error {
			return n.client.CoreV1().Services(n.namespace).Delete(ctx, services.Items[i].Name, metav1.DeleteOptions{})
		})
	}
}

// createExecutor creates an executor as Spark does: owned by the driver, with the labels that the template gives to
// both. Spark itself does not bind it; doing so here saves a request of the node.
func (n *Node) createExecutor(driver *corev1.Pod, number int) *corev1.Pod {
	own := maps.Clone(driver.Labels)
	own[v1alpha1.SparkRoleLabel], own["spark-exec-id"] = "executor", strconv.Itoa(number)
	yes := true
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: n.namespace, Name: fmt.Sprintf("%s-exec-%d", driver.Name, number), Labels: own,
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: driver.Name, UID: driver.UID, Controller: &yes}},
		},
		Spec: corev1.PodSpec{
			NodeName: nodeName, RestartPolicy: corev1.RestartPolicyNever,
			Containers: []corev1.Container{{Name: "spark-kubernetes-executor", Image: driver.Spec.Containers[0].Image,
				Resources: driver.Spec.Containers[0].Resources}},
		},
	}
	var created *corev1.Pod
	n.do(PodPost, func(ctx context.Context) (err error) {
		created, err = n.client.CoreV1().Pods(n.namespace).Create(ctx, pod, metav1.CreateOptions{})
		return err
	})
	return created
}

func (n *Node) bind(pod *corev1.Pod) {
	n.do(podBinding, func(ctx context.Context) error {
		return n.client.CoreV1().Pods(n.namespace).Bind(ctx, &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace, UID: pod.UID},
			Target:     corev1.ObjectReference{Kind: "Node", Name: nodeName},
		}, metav1.CreateOptions{})
	})
}

// setStatus writes the status of a pod, unless another pod has its name by now.
func (n *Node) setStatus(pod *corev1.Pod, status corev1.PodStatus) {
	n.do(podStatus, func(ctx context.Context) error {
		update := pod.DeepCopy()
		update.ResourceVersion, update.Status = "", status
		_, err := n.client.CoreV1().Pods(n.namespace).UpdateStatus(ctx, update, metav1.UpdateOptions{})
		return err
	})
}

// end confirms the end of a deleted pod.
func (n *Node) end(pod *corev1.Pod) {
	n.wait(n.script.EndsIn)
	uid, now := pod.UID, int64(0)
	n.do(PodDelete, func(ctx context.Context) error {
		return n.client.CoreV1().Pods(n.namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
			GracePeriodSeconds: &now, Preconditions: &metav1.Preconditions{UID: &uid},
		})
	})
}

// do sends a request when a slot is free. It ignores errors because the pod is gone or was replaced.
func (n *Node) do(kind host.Kind, request func(ctx context.Context) error) {
	n.busy <- struct{}{}
	err := request(n.ctx)
	<-n.busy
	if err == nil {
		n.mu.Lock()
		n.writes[kind]++
		n.mu.Unlock()
	}
	if err != nil && n.ctx.Err() == nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		n.cancel(fmt.Errorf("node: %s: %w", kind, err))
	}
}

func (n *Node) wait(d time.Duration) {
	if d <= 0 {
		return
	}
	select {
	case <-n.ctx.Done():
	case <-time.After(d):
	}
}

func running(pod *corev1.Pod) corev1.PodStatus {
	now := metav1.Now()
	return corev1.PodStatus{
		Phase: corev1.PodRunning,
		Conditions: []corev1.PodCondition{
			{Type: corev1.PodReady, Status: corev1.ConditionTrue}, {Type: corev1.PodScheduled, Status: corev1.ConditionTrue},
		},
		ContainerStatuses: containers(pod, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}),
	}
}

func succeeded(pod *corev1.Pod) corev1.PodStatus {
	end := &corev1.ContainerStateTerminated{ExitCode: 0, Reason: "Completed", FinishedAt: metav1.Now()}
	return corev1.PodStatus{Phase: corev1.PodSucceeded, ContainerStatuses: containers(pod, corev1.ContainerState{Terminated: end})}
}

func containers(pod *corev1.Pod, state corev1.ContainerState) []corev1.ContainerStatus {
	out := make([]corev1.ContainerStatus, 0, len(pod.Spec.Containers))
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		out = append(out, corev1.ContainerStatus{Name: c.Name, Image: c.Image, ImageID: c.Image, State: state, Ready: state.Running != nil})
	}
	return out
}
