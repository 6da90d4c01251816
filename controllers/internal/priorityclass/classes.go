// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package priorityclass

import (
	"context"
	"fmt"

	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Classes are the PriorityClasses that may be named in one queue.
type Classes struct {
	// Reader reads SparkQueues and PriorityClasses from the cache.
	Reader client.Reader
	// Queue is the name of a SparkQueue; empty if another system manages the queues. A queue that does not exist
	// restricts nothing.
	Queue string
}

// Refusal returns why a PriorityClass must not be named in a field, or the empty string if it may. The cluster's
// default class is always allowed, because the API server sets it on pods that name none.
func (c Classes) Refusal(ctx context.Context, class, field string) (string, error) {
	spec, err := c.spec(ctx)
	if err != nil || spec.AllowsPriorityClass(class) {
		return "", err
	}
	found := &schedulingv1.PriorityClass{}
	if err := c.Reader.Get(ctx, types.NamespacedName{Name: class}, found); client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("read priority class %s: %w", class, err)
	}
	if found.GlobalDefault {
		return "", nil
	}
	return spec.PriorityClassRefusal(class, field, c.Queue), nil
}

func (c Classes) spec(ctx context.Context) (*v1alpha1.SparkQueueSpec, error) {
	if c.Queue == "" {
		return nil, nil
	}
	queue := &v1alpha1.SparkQueue{}
	err := c.Reader.Get(ctx, types.NamespacedName{Name: c.Queue}, queue)
	switch {
	case client.IgnoreNotFound(err) != nil:
		return nil, fmt.Errorf("read queue %s: %w", c.Queue, err)
	case err != nil:
		return nil, nil
	}
	return &queue.Spec, nil
}
