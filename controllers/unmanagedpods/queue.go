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
	"github.com/sparkgate/sparkgate/internal/namespacepolicy"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// chargedTo returns the queue that an ungated pod is charged to when nothing is recorded of it, as after a restart: the
// one that its label names, in which an operator has let it in, if its namespace may use that queue. Else it is that of
// the namespace: labels of a pod that was created before its namespace was guarded are whatever its creator wrote, and
// must not charge a queue of others, or one that does not exist.
func chargedTo(ctx context.Context, reader client.Reader, namespace metav1.Object, p *pod) (string, error) {
	own := queueOf(namespace)
	policy := namespacepolicy.Of(namespace)
	if p.claimed || p.Queue == "" || p.Queue == own || !policy.Queues.Allows(p.Queue) {
		return own, nil
	}
	queue := &v1alpha1.SparkQueue{}
	err := reader.Get(ctx, types.NamespacedName{Name: p.Queue}, queue)
	if apierrors.IsNotFound(err) || apierrors.IsInvalid(err) {
		return own, nil
	}
	if err != nil {
		return "", fmt.Errorf("read queue %s, which the label of pod %s/%s names: %w", p.Queue, p.Namespace, p.Name, err)
	}
	admits := convert.QueueConfig(queue).Admits
	unlimited := len(queue.Spec.Flavors) == 0 && policy.NeedsLimits(p.Queue)
	if admits == nil || !admits(namespace.GetLabels()) || unlimited {
		return own, nil
	}
	return p.Queue, nil
}

// queuesRead reads all queues with one list, at the first of them: a thousand pods with invented labels cost no more.
type queuesRead struct {
	client.Reader
	queues map[string]*v1alpha1.SparkQueue
}

// Get reads a queue from one list of all.
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
