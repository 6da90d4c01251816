// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package unmanagedpods

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods/unmanaged"
)

// chargedTo returns the queue to which an ungated pod is charged if nothing is recorded about it.
func chargedTo(ctx context.Context, reader client.Reader, namespace metav1.Object, p *unmanaged.Pod) (string, error) {
	label := p.LabelledQueue(namespace)
	if label == "" {
		return unmanaged.QueueOf(namespace), nil
	}
	queue := &v1alpha1.SparkQueue{}
	err := reader.Get(ctx, types.NamespacedName{Name: label}, queue)
	if apierrors.IsNotFound(err) || apierrors.IsInvalid(err) {
		return unmanaged.QueueOf(namespace), nil
	}
	if err != nil {
		return "", fmt.Errorf("read queue %s, which the label of pod %s/%s names: %w", label, p.Namespace, p.Name, err)
	}
	return p.ChargedTo(namespace, queue), nil
}

// decidedIn returns the queue that decides on a pod, or on which it is charged if it is not gated.
func (r *Reconciler) decidedIn(ctx context.Context, reader client.Reader, namespace metav1.Object, p *unmanaged.Pod) (string, error) {
	if p.SchedulingGate == nil && r.Gates.Capabilities(string(r.gateOf(namespace))).Charges {
		return chargedTo(ctx, reader, namespace, p)
	}
	return unmanaged.QueueOf(namespace), nil
}

// queuesRead is a Reader that lists all queues once, on the first read, so that a thousand pods with invented labels
// cost no more than one list.
type queuesRead struct {
	client.Reader
	queues map[string]*v1alpha1.SparkQueue
}

// Get returns a queue from the list of all queues.
func (r *queuesRead) Get(ctx context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	if r.queues == nil {
		list := &v1alpha1.SparkQueueList{}
		if err := r.List(ctx, list); err != nil {
			return err
		}
		r.queues = map[string]*v1alpha1.SparkQueue{}
		for i := range list.Items {
			r.queues[list.Items[i].Name] = &list.Items[i]
		}
	}
	queue := r.queues[key.Name]
	into, ok := obj.(*v1alpha1.SparkQueue)
	if queue == nil || !ok {
		return apierrors.NewNotFound(v1alpha1.GroupVersion.WithResource("sparkqueues").GroupResource(), key.Name)
	}
	queue.DeepCopyInto(into)
	return nil
}
