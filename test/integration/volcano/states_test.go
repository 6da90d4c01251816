// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package volcano

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestGroupWithoutLabels: a group from which a user removes the labels by which it is watched is still the group of its
// attempt, and releases its quota at the end.
func TestGroupWithoutLabels(t *testing.T) {
	s := side(t, "1")
	app := s.apply("app")
	driver := s.run(app)
	group := s.group(driver)
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:null}}}`, v1alpha1.ApplicationUIDLabel)
	if err := s.volcano.Patch(t.Context(), group.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		t.Fatal(err)
	}
	for _, executor := range s.executors(driver, 1, 2) {
		s.placed(executor)
	}
	s.finish(app)
	env.UntilWithin(t, patience, "the group is gone", func() (bool, error) {
		err := s.volcano.Get(t.Context(), client.ObjectKeyFromObject(group), &v1beta1.PodGroup{})
		return err != nil, client.IgnoreNotFound(err)
	})
}

// TestCapabilityOfZero: Volcano regards a capability of no cpu as none at all.
func TestCapabilityOfZero(t *testing.T) {
	s := side(t, "0")
	app := s.apply("app")
	s.run(app)
	s.finish(app)
}

// TestQueueIsClosingInMidRun: a Queue that is being closed finishes what it has.
func TestQueueIsClosingInMidRun(t *testing.T) {
	s := side(t, "1")
	app := s.apply("app")
	s.run(app)
	s.changeQueue(func(q *v1beta1.Queue) { q.Status.State = v1beta1.QueueStateClosing })
	s.waits(s.apply("late"), v1alpha1.QueueHeldReason, "Closing")
	s.finish(app)
	s.groups(app, 0)
}

// TestElasticExecutorsDoNotCount: when Volcano puts a gang into its queue, executors above the base gangs of others do not
// count. So the driver runs, and its executors wait until some of those end. docs/gates.md says so.
func TestElasticExecutorsDoNotCount(t *testing.T) {
	s := side(t, "1")
	app := s.apply("app", harness.Elastic)
	driver := s.run(app)
	made := s.executors(driver, 1, 2, 3)
	for _, executor := range made {
		s.Kubelet.Start(t.Context(), s.placed(executor))
	}
	next := s.apply("next")
	executor := s.executors(s.placed(s.Driver(next)), 1)[0]
	harness.Eventually(t, executor, "without quota", func(p *corev1.Pod) bool {
		return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool { return c.Reason == corev1.PodReasonUnschedulable })
	})
	s.Kubelet.LetGo(t.Context(), made[1])
	s.placed(executor)
}
