// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"context"
	"strings"
	"testing"

	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// TestAnUrgentRunDisplacesALesserOne: if the queue allows it, an urgent run preempts one of lower priority, which stops
// gracefully, waits at its old place, and runs again. Both applications report it.
func TestAnUrgentRunDisplacesALesserOne(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	queue := env.Queue(s.Name+"-shared", "1", "3Gi")
	queue.Spec.Preemption = &v1alpha1.QueuePreemption{WithinQueue: v1alpha1.PreemptLowerPriority}
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: s.Name + "-urgent"}, Value: 1000}
	t.Cleanup(func() { _ = env.Client().Delete(context.Background(), class) })
	s.Apply(queue, class, env.Pi("lesser", queue.Name, env.Sleep("40")))
	s.Reaches("lesser", env.First, v1alpha1.RunningReason)
	s.Apply(env.Pi("urgent", queue.Name, func(spec *v1alpha1.SparkApplicationSpec) { spec.Queue.PriorityClassName = class.Name }))

	displaced := s.Reaches("lesser", env.Attempt{Run: 1, Attempt: 2}, v1alpha1.PreemptedReason)
	ready := env.Condition(displaced, v1alpha1.ReadyCondition)
	for _, word := range []string{s.Name + "/urgent", "priority 1000 is higher than 0"} {
		if !strings.Contains(ready.Message, word) {
			t.Errorf("the message does not tell %q: %s", word, ready.Message)
		}
	}
	s.Reaches("urgent", env.First, v1alpha1.SucceededReason)
	end := s.Reaches("lesser", env.Attempt{Run: 1, Attempt: 2}, v1alpha1.SucceededReason)
	if end.Status.Preemptions != 1 || end.Status.Failures != 0 {
		t.Errorf("preemptions %d, failures %d, want 1 and 0", end.Status.Preemptions, end.Status.Failures)
	}
	for name, want := range map[string]string{"lesser": "Preempted", "urgent": "Preempting"} {
		events := s.Kubectl("get", "events", "--field-selector", "involvedObject.name="+name, "-o", "custom-columns=R:.reason,M:.message")
		if !strings.Contains(events, want+" ") {
			t.Errorf("no event %s for %s:\n%s", want, name, events)
		}
	}
	if peak := s.Peak(); peak.Drivers > 1 {
		t.Errorf("at the peak there were %+v, want one driver", peak)
	}
	s.GivenBack(queue.Name)
}

// TestATeamTakesBackWhatItHasLent: two teams lend to each other. One takes back what the other has borrowed: the
// borrower stops gracefully, waits, and runs again.
func TestATeamTakesBackWhatItHasLent(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 2)
	root := &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: s.Name + "-root"}}
	a, b := env.Queue(s.Name+"-team-a", "1", "3Gi"), env.Queue(s.Name+"-team-b", "1", "3Gi")
	a.Spec.Parent, b.Spec.Parent = root.Name, root.Name
	s.Apply(root, a, b, env.Pi("own", a.Name, env.Sleep("40")))
	s.Reaches("own", env.First, v1alpha1.RunningReason)
	s.Apply(env.Pi("borrower", a.Name, env.Sleep("20")))
	s.Reaches("borrower", env.First, v1alpha1.RunningReason)
	s.Apply(env.Pi("lender", b.Name))

	displaced := s.Reaches("borrower", env.Attempt{Run: 1, Attempt: 2}, v1alpha1.PreemptedReason)
	ready := env.Condition(displaced, v1alpha1.ReadyCondition)
	for _, word := range []string{"lender", "queue " + b.Name + " reclaims quota that queue " + a.Name + " borrowed"} {
		if !strings.Contains(ready.Message, word) {
			t.Errorf("the message does not tell %q: %s", word, ready.Message)
		}
	}
	for name, attempt := range map[string]int64{"lender": 1, "own": 1, "borrower": 2} {
		s.Reaches(name, env.Attempt{Run: 1, Attempt: attempt}, v1alpha1.SucceededReason)
	}
	end := s.Becomes("borrower", v1alpha1.SucceededReason)
	if end.Status.Preemptions != 1 || end.Status.Failures != 0 {
		t.Errorf("preemptions %d, failures %d, want 1 and 0", end.Status.Preemptions, end.Status.Failures)
	}
	quota := resource.MustParse("6Gi")
	if peak := s.Peak(); peak.Drivers > 2 || peak.Memory > quota.Value() {
		t.Errorf("at the peak there were %+v, want two drivers and no more than 6Gi", peak)
	}
	s.GivenBack(a.Name)
	s.GivenBack(b.Name)
}
