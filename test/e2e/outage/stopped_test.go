// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package outage

import (
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// A job that comes and ends while the operator is away runs once.
func TestJobDuringAnOutageRunsOnce(t *testing.T) {
	s := env.NewTenant(t, 1)
	env.StopOperator(t)
	s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("pi", s.Name, env.Sleep("3")))
	env.StartOperator(t)
	s.Reaches("pi", env.First, v1alpha1.RunningReason)

	env.StopOperator(t)
	s.Await("the driver to end", func() error {
		for _, driver := range s.Pods("pi", v1alpha1.SparkRoleDriver) {
			if driver.Status.Phase == corev1.PodSucceeded {
				return nil
			}
		}
		return errors.New("it has not")
	})
	if stage := env.StageOf(s.Application("pi")); stage != v1alpha1.RunningReason {
		t.Errorf("the stage is %s without an operator, want Running as it left it", stage)
	}
	env.StartOperator(t)
	end := s.Reaches("pi", env.First, v1alpha1.SucceededReason)
	if len(end.Status.Attempts) != 1 {
		t.Errorf("the history is %+v, want one attempt", end.Status.Attempts)
	}
	s.GivenBack(s.Name)
	checkReportedOnce(t, s)
}

// checkReportedOnce: the end was published once, and reported once.
func checkReportedOnce(t *testing.T, s *env.Namespace) {
	t.Helper()
	ends := 0
	for _, stage := range s.Stages("pi", env.First) {
		if stage == v1alpha1.SucceededReason {
			ends++
		}
	}
	if drivers := s.Pods("pi", v1alpha1.SparkRoleDriver); ends != 1 || len(drivers) != 1 {
		t.Errorf("the end was published %d times, and there were %d drivers; want 1 and 1", ends, len(drivers))
	}
	s.Await("one event about the end", func() error {
		list := &eventsv1.EventList{}
		if err := env.Client().List(t.Context(), list, client.InNamespace(s.Name)); err != nil {
			return err
		}
		told := 0
		for i := range list.Items {
			if e := &list.Items[i]; e.Reason == v1alpha1.SucceededReason && e.Regarding.Kind == "SparkApplication" {
				told++
				if e.Series != nil {
					told += int(e.Series.Count)
				}
			}
		}
		if told != 1 {
			return fmt.Errorf("there are %d", told)
		}
		return nil
	})
}
