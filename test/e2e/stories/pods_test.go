// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"fmt"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"

	corev1 "k8s.io/api/core/v1"
)

// awaitExecutors waits until an application has had so many running executors, also if they are gone by now.
func awaitExecutors(s *env.Space, name string, n int) []env.Pod {
	var executors []env.Pod
	s.Await(fmt.Sprintf("%s to have %d running executors", name, n), func() error {
		executors = nil
		for _, pod := range s.Pods(name, v1alpha1.SparkRoleExecutor) {
			if pod.Status.Phase == corev1.PodRunning || pod.Gone {
				executors = append(executors, pod)
			}
		}
		if len(executors) < n {
			return fmt.Errorf("%d have run", len(executors))
		}
		return nil
	})
	return executors
}

// awaitNoPods waits until no pod of an application is left.
func awaitNoPods(s *env.Space, name string) {
	s.Await("the pods of "+name+" to be gone", func() error {
		for _, role := range []string{v1alpha1.SparkRoleDriver, v1alpha1.SparkRoleExecutor} {
			for _, pod := range s.Pods(name, role) {
				if !pod.Gone {
					return fmt.Errorf("pod %s is %s", pod.Name, pod.Status.Phase)
				}
			}
		}
		return nil
	})
}
