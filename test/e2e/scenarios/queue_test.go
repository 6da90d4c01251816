// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// teamA returns the tree of the stories with only its first team: quota for one application of 3 × 896Mi.
func teamA(s *env.Namespace) (root, team *v1alpha1.SparkQueue) {
	root = &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: s.Name + "-root"}}
	team = env.Queue(s.Name+"-team-a", "1", "3Gi")
	team.Spec.Parent = root.Name
	quotas := team.Spec.Flavors[0].Quotas
	for i := range quotas {
		borrowing := quotas[i].Nominal.DeepCopy()
		quotas[i].BorrowingLimit = &borrowing
	}
	return root, team
}

func TestJobsOnAQueueWithQuotaForOneRunOneAfterTheOther(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	root, team := teamA(s)
	urgent := priorityClass(t, s.Name, 1000)
	s.Apply(root, team, env.Pi("first", team.Name, env.Sleep("20")))
	s.Reaches("first", env.First, v1alpha1.SubmittingReason)
	s.Apply(env.Pi("old", team.Name))
	old := s.Becomes("old", v1alpha1.QueuedReason)
	// Ages differ by creation times, which are whole seconds.
	time.Sleep(time.Until(old.CreationTimestamp.Add(1100 * time.Millisecond)))
	s.Apply(env.Pi("young", team.Name, env.Brief()), env.Pi("urgent", team.Name, env.Brief(), func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Queue.PriorityClassName = urgent
	}))

	awaitHeads(s, team.Name, "urgent", "old", "young")
	checkQueueColumns(t, s, root.Name, team.Name)
	checkExplanation(t, s, team.Name)
	waiting := []string{"urgent", "old", "young"}
	for _, name := range append([]string{"first"}, waiting...) {
		s.Reaches(name, env.First, v1alpha1.SucceededReason)
	}
	for _, name := range waiting {
		checkWait(t, s.Versions(name))
	}
	if diff := cmp.Diff([]string{"first", "urgent", "old", "young"}, startOrder(s)); diff != "" {
		t.Errorf("order of the starts (-want +got):\n%s", diff)
	}
	quota := resource.MustParse("3Gi")
	if peak := s.Peak(); peak.Drivers != 1 || peak.Memory > quota.Value() || peak.CPU > 1000 {
		t.Errorf("at the peak there were %+v, want one driver and no more than 1 cpu and 3Gi", peak)
	}
	s.GivenBack(team.Name)
}

// priorityClass creates one for the test and returns its name.
func priorityClass(t *testing.T, name string, value int32) string {
	t.Helper()
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value}
	if err := env.Client().Create(t.Context(), class); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := env.Client().Delete(context.Background(), class); err != nil {
			t.Error(err)
		}
	})
	return name
}

func awaitHeads(s *env.Namespace, queue string, want ...string) {
	s.QueueBecomes(queue, "waited for by "+strings.Join(want, ", "), func(q *v1alpha1.SparkQueue) error {
		var heads []string
		for i, h := range q.Status.Heads {
			if h.Position != int32(i+1) || h.Namespace != s.Name {
				return fmt.Errorf("head %d is %+v", i+1, h)
			}
			heads = append(heads, h.Name)
		}
		if diff := cmp.Diff(want, heads); diff != "" {
			return fmt.Errorf("the heads are (-want +got):\n%s", diff)
		}
		return nil
	})
}

// checkQueueColumns checks what kubectl get sgq shows while one application runs and three wait.
func checkQueueColumns(t *testing.T, s *env.Namespace, root, team string) {
	t.Helper()
	table := s.Kubectl("get", "sgq", team, "--output", "wide")
	header, line, _ := strings.Cut(strings.TrimSpace(table), "\n")
	want := []string{"NAME", "READY", "PARENT", "PENDING", "ADMITTED", "CPU", "MEMORY", "GPU", "SHARE", "AGE", "MESSAGE"}
	if diff := cmp.Diff(want, strings.Fields(header)); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	fields := strings.Fields(line)
	if diff := cmp.Diff([]string{team, "True", root, "3", "1", "0.6/1", "2.625Gi/3Gi"}, fields[:min(7, len(fields))]); diff != "" {
		t.Errorf("the line of the queue (-want +got):\n%s", diff)
	}
}

// checkExplanation checks that sparkctl asks the operator for the position, for what is missing, and for what would
// help.
func checkExplanation(t *testing.T, s *env.Namespace, team string) {
	t.Helper()
	told := s.Sparkctl("explain", "old", "-n", s.Name)
	for _, part := range []string{"2 of 3", "urgent", "2.625Gi", "queue " + team} {
		if !strings.Contains(told, part) {
			t.Errorf("sparkctl explain does not tell %q:\n%s", part, told)
		}
	}
	if strings.Contains(told, "no live view") {
		t.Errorf("sparkctl explain has not reached the operator:\n%s", told)
	}
}

// checkWait checks that the wait is explained with the first resource that is short, need and limit, in one sentence that never changes.
func checkWait(t *testing.T, versions []*v1alpha1.SparkApplication) {
	t.Helper()
	told := map[string]bool{}
	for _, v := range versions {
		if c := env.Condition(v, v1alpha1.AdmittedCondition); env.StageOf(v) == v1alpha1.QueuedReason && c.Reason == v1alpha1.WaitingForQuotaReason {
			told[c.Message] = true
		}
	}
	if len(told) != 1 {
		t.Errorf("%s was told %d things while it waited: %v", versions[0].Name, len(told), told)
	}
	for message := range told {
		for _, want := range []string{"cpu 600m", "at most 1 ", "queue " + versions[0].Namespace} {
			if !strings.Contains(message, want) {
				t.Errorf("the message of %s does not name %q: %s", versions[0].Name, want, message)
			}
		}
	}
}

// startOrder returns the order in which applications were submitted.
func startOrder(s *env.Namespace) []string {
	var order []string
	seen := map[string]bool{}
	for _, v := range s.Versions("") {
		if env.StageOf(v) == v1alpha1.SubmittingReason && !seen[v.Name] {
			seen[v.Name] = true
			order = append(order, v.Name)
		}
	}
	return order
}

// A job larger than its queue stalls until the queue grows.
func TestJobLargerThanItsQueue(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	s.Apply(env.Queue(s.Name, "1", "1Gi"), env.Pi("pi", s.Name, env.Brief()))
	app := s.Becomes("pi", v1alpha1.ExceedsQuotaReason)
	stalled, admitted := env.Condition(app, v1alpha1.StalledCondition), env.Condition(app, v1alpha1.AdmittedCondition)
	if stalled.Status != metav1.ConditionTrue || admitted.Status != metav1.ConditionFalse || admitted.Reason != v1alpha1.ExceedsQuotaReason {
		t.Errorf("Stalled is %q, Admitted %s/%s, want True and False/ExceedsQuota", stalled.Status, admitted.Status, admitted.Reason)
	}
	for _, want := range []string{"memory", "2.625Gi", "1Gi", s.Name} {
		if !strings.Contains(stalled.Message, want) {
			t.Errorf("the message does not name %q: %s", want, stalled.Message)
		}
	}
	s.Apply(env.Queue(s.Name, "1", "3Gi"))
	s.Reaches("pi", env.First, v1alpha1.SucceededReason)
}

// When a queue is deleted, running jobs end and waiting jobs wait.
func TestDeletedQueue(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	queue := env.Queue(s.Name, "1", "3Gi")
	s.Apply(queue, env.Pi("running", s.Name, env.Sleep("10")))
	s.Reaches("running", env.First, v1alpha1.RunningReason)
	s.Apply(env.Pi("waiting", s.Name, env.Brief()))
	s.Reaches("waiting", env.First, v1alpha1.QueuedReason)

	s.Kubectl("delete", "sgq", s.Name)
	checkMissing(t, s.Reaches("waiting", env.First, v1alpha1.ReferenceNotFoundReason), "queue "+s.Name)
	s.Reaches("running", env.First, v1alpha1.SucceededReason)
	if stage := env.StageOf(s.Application("waiting")); stage != v1alpha1.ReferenceNotFoundReason {
		t.Errorf("the waiting application is %s although its queue does not exist", stage)
	}

	s.Apply(env.Queue(s.Name, "1", "3Gi"))
	end := s.Becomes("waiting", v1alpha1.SucceededReason)
	if end.Status.Run != 1 || end.Status.Attempt != 1 {
		t.Errorf("it ended in run %d, attempt %d, want 1 and 1", end.Status.Run, end.Status.Attempt)
	}
	s.GivenBack(s.Name)
}

// checkMissing checks that an application waits for something, says for what, and does not count as stalled.
func checkMissing(t *testing.T, app *v1alpha1.SparkApplication, what ...string) {
	t.Helper()
	ready := env.Condition(app, v1alpha1.ReadyCondition)
	reconciling, stalled := env.Condition(app, v1alpha1.ReconcilingCondition), env.Condition(app, v1alpha1.StalledCondition)
	if ready.Status != metav1.ConditionFalse || reconciling.Status != metav1.ConditionTrue || stalled.Status == metav1.ConditionTrue {
		t.Errorf("Ready is %s/%s, Reconciling %q, Stalled %q, want False, True and not True", ready.Status, ready.Reason, reconciling.Status, stalled.Status)
	}
	for _, want := range what {
		if !strings.Contains(ready.Message, want) {
			t.Errorf("the message does not name %q: %s", want, ready.Message)
		}
	}
}

func TestAJobWaitsUntilItsNamespaceIsSelected(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	queue := env.Queue(s.Name, "1", "3Gi")
	queue.Spec.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": s.Name}}
	s.Apply(queue, env.Pi("pi", s.Name, env.Brief()))
	app := s.Becomes("pi", v1alpha1.QueuedReason)
	c := env.Condition(app, v1alpha1.AdmittedCondition)
	if c.Status != metav1.ConditionFalse || c.Reason != v1alpha1.NamespaceNotAllowedReason || !strings.Contains(c.Message, "team="+s.Name) {
		t.Errorf("Admitted is %s/%s, want False/NamespaceNotAllowed with the selector: %s", c.Status, c.Reason, c.Message)
	}
	s.Kubectl("label", "namespace", s.Name, "team="+s.Name)
	s.Reaches("pi", env.First, v1alpha1.SucceededReason)
}
