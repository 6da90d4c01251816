// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"fmt"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// awaitExecutors waits until an application has had so many running executors, also if they are gone by now.
func awaitExecutors(s *env.Namespace, name string, n int) []env.Pod {
	return s.RunningExecutors(name, n)
}

// awaitNoPods waits until no pod of an application is left; of some roles only, if they are named.
func awaitNoPods(s *env.Namespace, name string, roles ...string) {
	if len(roles) == 0 {
		roles = []string{v1alpha1.SparkRoleDriver, v1alpha1.SparkRoleExecutor}
	}
	s.Await("the pods of "+name+" to be gone", func() error {
		for _, role := range roles {
			for _, pod := range s.Pods(name, role) {
				if !pod.Gone {
					return fmt.Errorf("pod %s is %s", pod.Name, pod.Status.Phase)
				}
			}
		}
		return nil
	})
}
