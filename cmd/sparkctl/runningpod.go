// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/client"
	"github.com/sparkgate/sparkgate/internal/status"
)

// notRunningError says that there is no such running pod, and the stage of the application.
type notRunningError struct{ error }

// runningPod returns the running driver of the current attempt, or one of its executors by number. It returns a
// notRunningError if that pod is not running.
func runningPod(ctx context.Context, c *client.Cluster, app *v1alpha1.SparkApplication, executor string) (*corev1.Pod, error) {
	wanted := client.SparkPods{Run: app.Status.Run, Attempt: app.Status.Attempt, Role: v1alpha1.SparkRoleDriver, Executor: executor}
	what := "driver"
	if executor != "" {
		wanted.Role, what = v1alpha1.SparkRoleExecutor, "executor "+executor
	}
	found, err := c.PodsOf(ctx, app, wanted)
	if err != nil {
		return nil, err
	}
	for i := range found {
		if client.Runs(&found[i]) {
			return &found[i], nil
		}
	}
	now := status.Summarize(app, clock.RealClock{}.Now())
	return nil, &notRunningError{fmt.Errorf("%s has no running %s: %s: %s", app.Name, what, now.Stage, now.Message)}
}
