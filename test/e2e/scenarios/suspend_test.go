// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

func TestASuspendedJobLeavesTheQueueAndComesBack(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	queue := env.Queue(s.Name, "1", "3Gi")
	queue.Spec.StopPolicy = v1alpha1.StopPolicyHold
	s.Apply(queue, env.Pi("pi", s.Name, env.Brief()))
	held := s.Becomes("pi", v1alpha1.QueuedReason)
	if c := env.Condition(held, v1alpha1.AdmittedCondition); c.Status != metav1.ConditionFalse || c.Reason != v1alpha1.QueueHeldReason {
		t.Errorf("Admitted is %s/%s under a held queue", c.Status, c.Reason)
	}
	awaitPending(s, 1)

	s.Kubectl("patch", "sgapp", "pi", "--type=merge", "--patch", `{"spec":{"suspend":true}}`)
	checkSuspended(t, s.Becomes("pi", v1alpha1.SuspendedReason))
	awaitPending(s, 0)

	s.Kubectl("patch", "sgapp", "pi", "--type=merge", "--patch", `{"spec":{"suspend":false}}`)
	s.Becomes("pi", v1alpha1.QueuedReason)
	awaitPending(s, 1)

	queue.Spec.StopPolicy = v1alpha1.StopPolicyNone
	s.Apply(queue)
	s.Reaches("pi", env.First, v1alpha1.SucceededReason)
}

func awaitPending(s *env.Namespace, n int32) {
	s.QueueBecomes(s.Name, fmt.Sprintf("waited for by %d", n), func(queue *v1alpha1.SparkQueue) error {
		if queue.Status.Pending != n {
			return fmt.Errorf("%d wait", queue.Status.Pending)
		}
		return nil
	})
}

func checkSuspended(t *testing.T, app *v1alpha1.SparkApplication) {
	t.Helper()
	ready, admitted := env.Condition(app, v1alpha1.ReadyCondition), env.Condition(app, v1alpha1.AdmittedCondition)
	if ready.Status != metav1.ConditionFalse || admitted.Status != metav1.ConditionFalse || admitted.Reason != v1alpha1.SuspendedReason {
		t.Errorf("Ready is %s/%s, Admitted %s/%s, want False/Suspended twice", ready.Status, ready.Reason, admitted.Status, admitted.Reason)
	}
	if app.Status.Grant != nil {
		t.Errorf("a suspended application holds the grant %+v", app.Status.Grant)
	}
}

// A button beside Git: Flux applies the manifest, and another client owns nothing but spec.suspend.
func TestSuspendByAnotherFieldManager(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	s.Apply(env.Queue(s.Name, "1", "3Gi"))
	s.ApplyAs("git", s.Manifest(env.Pi("pi", s.Name, env.Sleep("8"))))
	s.Reaches("pi", env.First, v1alpha1.RunningReason)
	awaitExecutors(s, "pi", 1)

	s.ApplyAs("pauser", onlySuspend(true))
	suspended := s.Becomes("pi", v1alpha1.SuspendedReason)
	checkSuspended(t, suspended)
	checkOwned(t, suspended, "pauser", `{"f:spec":{"f:suspend":{}}}`)
	awaitNoPods(s, "pi")
	checkGracefulEnd(t, s, "pi")
	s.GivenBack(s.Name)

	s.ApplyAs("pauser", onlySuspend(false))
	end := s.Reaches("pi", env.Attempt{Run: 1, Attempt: 2}, v1alpha1.SucceededReason)
	if end.Status.Failures != 0 || end.Status.Resumes != 1 {
		t.Errorf("there are %d failures and %d resumes, want 0 and 1", end.Status.Failures, end.Status.Resumes)
	}
	if a := end.Status.Attempts; len(a) != 2 || a[0].Outcome != v1alpha1.OutcomeStopped || a[1].Outcome != v1alpha1.OutcomeSucceeded {
		t.Errorf("the history is %+v, want one stopped and one successful attempt", a)
	}
}

// onlySuspend returns a manifest with nothing but spec.suspend.
func onlySuspend(suspend bool) string {
	return fmt.Sprintf("apiVersion: sparkgate.io/v1alpha1\nkind: SparkApplication\nmetadata: {name: pi}\nspec: {suspend: %t}\n", suspend)
}

// checkOwned: a field manager owns exactly these fields.
func checkOwned(t *testing.T, app *v1alpha1.SparkApplication, manager, want string) {
	t.Helper()
	var owned []string
	for _, entry := range app.ManagedFields {
		if entry.Manager == manager {
			owned = append(owned, entry.FieldsV1.GetRawString())
		}
	}
	if diff := cmp.Diff(want, strings.Join(owned, "\n")); diff != "" {
		t.Errorf("fields of %s (-want +got):\n%s", manager, diff)
	}
}
