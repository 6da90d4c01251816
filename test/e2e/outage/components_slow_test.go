// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package outage

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// TestSlowARunOutlivesTheAPIServer: the API server is down until the operator has lost its lease and ended. The driver
// and its executors continue without either.
func TestSlowARunOutlivesTheAPIServer(t *testing.T) {
	s := env.NewTenant(t, 1)
	s.BearOutage()
	before := startSleeping(t, s)
	ended := env.OperatorEnds(t)

	env.StopComponent(t, "kube-apiserver")
	ended()
	env.StartComponents(t)
	checkOutlived(t, s, before)
}

// TestSlowARunOutlivesTheKubelet: the kubelet is down until its node counts as not ready, and back before pods are
// evicted, which takes five minutes.
func TestSlowARunOutlivesTheKubelet(t *testing.T) {
	s := env.NewTenant(t, 1)
	before := startSleeping(t, s)
	node := &corev1.Node{}
	node.Name = before.Spec.NodeName

	env.StopComponent(t, "kubelet")
	s.Await("the node not to be ready", func() error {
		if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(node), node); err != nil {
			return err
		}
		for _, c := range node.Status.Conditions {
			if c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue {
				return nil
			}
		}
		return errors.New("it is ready")
	})
	app := s.Shows("pi", "without ready executors", func(app *v1alpha1.SparkApplication) error {
		if e := app.Status.Executors; e == nil || e.Ready != 0 {
			return errors.New("some are ready")
		}
		return nil
	})
	if c := env.Condition(app, v1alpha1.ReconcilingCondition); env.StageOf(app) != v1alpha1.RunningReason || c.Status != metav1.ConditionTrue {
		t.Errorf("the stage is %s, Reconciling is %s while the node does not answer; want Running and True", env.StageOf(app), c.Status)
	}
	env.StartComponents(t)
	checkOutlived(t, s, before)
}

// startSleeping starts a job that takes longer than any outage of these tests, and returns its driver.
func startSleeping(t *testing.T, s *env.Namespace) env.Pod {
	t.Helper()
	s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("pi", s.Name, env.Sleep("120")))
	s.Reaches("pi", env.First, v1alpha1.RunningReason)
	s.RunningExecutors("pi", 2)
	return s.Pods("pi", v1alpha1.SparkRoleDriver)[0]
}

// checkOutlived checks that the run succeeds in its first attempt, with the driver that it had, and that its end is
// reported once.
func checkOutlived(t *testing.T, s *env.Namespace, before env.Pod) {
	t.Helper()
	end := s.Reaches("pi", env.First, v1alpha1.SucceededReason)
	if len(end.Status.Attempts) != 1 {
		t.Errorf("the history is %+v, want one attempt", end.Status.Attempts)
	}
	if driver := s.Pods("pi", v1alpha1.SparkRoleDriver)[0]; driver.UID != before.UID {
		t.Errorf("the driver is %s, and was %s", driver.UID, before.UID)
	}
	s.GivenBack(s.Name)
	checkReportedOnce(t, s)
}
