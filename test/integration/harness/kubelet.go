// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
)

// Kubelet stands in for scheduler, kubelet and Spark: it runs the operator's pods in one namespace, and records all
// that ever existed.
type Kubelet struct {
	// Run decides what happens to a new driver; it may wait. Default: the driver runs at once and ends with exit code
	// 0.
	Run func(ctx context.Context, k *Kubelet, driver *corev1.Pod)
	// Hold keeps a deleted pod alive as long as it returns true; nil ends it at once.
	Hold func(pod *corev1.Pod) bool
	// Node is the node that the pods are bound to. Default: node-1, which does not exist.
	Node string
	// Address returns the address of a pod. Default: none.
	Address func(pod *corev1.Pod) string
	// Clock is the source of the times in the status of pods. Default: the system clock.
	Clock clock.PassiveClock

	t         *testing.T
	client    kubernetes.Interface
	namespace string

	mu      sync.Mutex
	drivers map[types.UID]*corev1.Pod
	alive   map[types.UID]bool
	// most is the largest number of drivers of one attempt that were alive at once.
	most map[string]int
	// gated are pods that were behind a scheduling gate.
	gated map[types.UID]bool
}

// StartKubelet runs pods of a namespace until the test ends.
func StartKubelet(t *testing.T, k *Kubelet, namespace string) *Kubelet {
	t.Helper()
	c, err := kubernetes.NewForConfig(env.Config())
	if err != nil {
		t.Fatalf("make a client: %v", err)
	}
	k.t, k.client, k.namespace = t, c, namespace
	if k.Node == "" {
		k.Node = "node-1"
	}
	if k.Clock == nil {
		k.Clock = clock.RealClock{}
	}
	k.drivers, k.alive, k.most = map[types.UID]*corev1.Pod{}, map[types.UID]bool{}, map[string]int{}
	k.gated = map[types.UID]bool{}
	ctx, cancel := context.WithCancel(context.Background())
	stream := endless(t, &corev1.PodList{}, namespace)
	var running sync.WaitGroup
	running.Go(func() { k.follow(ctx, stream, &running) })
	t.Cleanup(func() { cancel(); stream.Stop(); running.Wait() })
	return k
}

func (k *Kubelet) follow(ctx context.Context, stream watch.Interface, running *sync.WaitGroup) {
	for event := range stream.ResultChan() {
		pod, ok := event.Object.(*corev1.Pod)
		if !ok {
			continue
		}
		isNew := k.account(event.Type, pod)
		switch {
		case event.Type == watch.Deleted:
		case pod.DeletionTimestamp != nil:
			running.Go(func() { k.end(ctx, pod) })
		// A kubelet does not see a pod that waits behind its scheduling gate.
		case isNew && !isGated(pod):
			running.Go(func() { k.run(ctx, pod) })
		case k.wasLetIn(pod):
			running.Go(func() { k.runUngated(ctx, pod) })
		}
	}
}

// wasLetIn reports true once for each pod whose scheduling gate has been removed.
func (k *Kubelet) wasLetIn(pod *corev1.Pod) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case isGated(pod):
		k.gated[pod.UID] = true
		return false
	case !k.gated[pod.UID]:
		return false
	}
	delete(k.gated, pod.UID)
	return true
}

// runUngated runs a pod whose scheduling gate has been removed.
func (k *Kubelet) runUngated(ctx context.Context, pod *corev1.Pod) {
	if pod.Labels[v1alpha1.SparkRoleLabel] == v1alpha1.SparkRoleDriver {
		k.run(ctx, pod)
		return
	}
	k.Start(ctx, pod)
}

// account records a pod, and reports whether it is a new driver.
func (k *Kubelet) account(event watch.EventType, pod *corev1.Pod) bool {
	if pod.Labels[v1alpha1.SparkRoleLabel] != v1alpha1.SparkRoleDriver {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	_, known := k.drivers[pod.UID]
	k.drivers[pod.UID] = pod
	k.alive[pod.UID] = event != watch.Deleted && pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed
	attempt := attemptOf(pod)
	alive := 0
	for uid, d := range k.drivers {
		if k.alive[uid] && attemptOf(d) == attempt {
			alive++
		}
	}
	k.most[attempt] = max(k.most[attempt], alive)
	return !known
}

func attemptOf(pod *corev1.Pod) string {
	l := pod.Labels
	return l[v1alpha1.ApplicationUIDLabel] + "/" + l[v1alpha1.RunLabel] + "/" + l[v1alpha1.AttemptLabel]
}

func (k *Kubelet) run(ctx context.Context, pod *corev1.Pod) {
	if k.Run != nil {
		k.Run(ctx, k, pod)
		return
	}
	k.Start(ctx, pod)
	k.Finish(ctx, pod, 0, "Completed")
}

// Created returns the number of driver pods that ever existed for each attempt of an application.
func (k *Kubelet) Created(app types.UID) map[string]int {
	k.mu.Lock()
	defer k.mu.Unlock()
	created := map[string]int{}
	for _, d := range k.drivers {
		if d.Labels[v1alpha1.ApplicationUIDLabel] == string(app) {
			created[d.Labels[v1alpha1.RunLabel]+"/"+d.Labels[v1alpha1.AttemptLabel]]++
		}
	}
	return created
}

// Start makes a pod run.
func (k *Kubelet) Start(ctx context.Context, pod *corev1.Pod) {
	k.bind(ctx, pod)
	address := ""
	if k.Address != nil {
		address = k.Address(pod)
	}
	k.setStatus(ctx, pod, corev1.PodStatus{
		Phase: corev1.PodRunning, PodIP: address,
		Conditions:        []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}, {Type: corev1.PodScheduled, Status: corev1.ConditionTrue}},
		ContainerStatuses: states(pod, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(k.Clock.Now())}}),
	})
}

// Wait makes a pod wait for a reason that the kubelet gives.
func (k *Kubelet) Wait(ctx context.Context, pod *corev1.Pod, reason, message string) {
	k.bind(ctx, pod)
	k.setStatus(ctx, pod, corev1.PodStatus{
		Phase:             corev1.PodPending,
		Conditions:        []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}},
		ContainerStatuses: states(pod, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}),
	})
}

// Finish ends the containers of a pod.
func (k *Kubelet) Finish(ctx context.Context, pod *corev1.Pod, code int32, reason string) {
	phase := corev1.PodSucceeded
	if code != 0 {
		phase = corev1.PodFailed
	}
	k.setStatus(ctx, pod, corev1.PodStatus{
		Phase: phase,
		ContainerStatuses: states(pod, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: code, Reason: reason, FinishedAt: metav1.NewTime(k.Clock.Now()),
		}}),
	})
}

// Evict ends a pod the way the kubelet does under pressure.
func (k *Kubelet) Evict(ctx context.Context, pod *corev1.Pod, message string) {
	k.setStatus(ctx, pod, corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: message})
}

// bind binds the pod to a node, so that its deletion waits for a kubelet.
func (k *Kubelet) bind(ctx context.Context, pod *corev1.Pod) {
	if pod.Spec.NodeName != "" {
		return
	}
	err := k.client.CoreV1().Pods(k.namespace).Bind(ctx, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace, UID: pod.UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: k.Node},
	}, metav1.CreateOptions{})
	k.report(ctx, "bind", err)
}

func (k *Kubelet) setStatus(ctx context.Context, pod *corev1.Pod, status corev1.PodStatus) {
	for range 20 {
		current, err := k.client.CoreV1().Pods(k.namespace).Get(ctx, pod.Name, metav1.GetOptions{})
		if err != nil || current.UID != pod.UID {
			// It was deleted meanwhile.
			return
		}
		current.Status = status
		_, err = k.client.CoreV1().Pods(k.namespace).UpdateStatus(ctx, current, metav1.UpdateOptions{})
		if apierrors.IsConflict(err) {
			continue
		}
		k.report(ctx, "write status of", err)
		return
	}
}

// end confirms the end of a deleted pod.
func (k *Kubelet) end(ctx context.Context, pod *corev1.Pod) {
	for k.Hold != nil && k.Hold(pod) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
	uid, none := pod.UID, int64(0)
	err := k.client.CoreV1().Pods(k.namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: &none, Preconditions: &metav1.Preconditions{UID: &uid},
	})
	k.report(ctx, "end", err)
}

func (k *Kubelet) report(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		k.t.Logf("kubelet: %s pod: %v", what, err)
	}
}

func states(pod *corev1.Pod, state corev1.ContainerState) []corev1.ContainerStatus {
	out := make([]corev1.ContainerStatus, 0, len(pod.Spec.Containers))
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		out = append(out, corev1.ContainerStatus{Name: c.Name, Image: c.Image, ImageID: c.Image, State: state, Ready: state.Running != nil})
	}
	return out
}
