// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package queues lets applications wait for quota: in which order, for how long, and what their status says meanwhile.
package queues

import (
	"os"
	"strings"
	"testing"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

// operator of all tests of the package.
var operator harness.Shared

// waits waits until an application is kept out for a reason of Admitted, with a message that has all the words.
func waits(t *testing.T, app *v1alpha1.SparkApplication, reason string, words ...string) {
	t.Helper()
	harness.Eventually(t, app, "kept out for "+reason+" with "+strings.Join(words, ", "), func(a *v1alpha1.SparkApplication) bool {
		admitted := apimeta.FindStatusCondition(a.Status.Conditions, v1alpha1.AdmittedCondition)
		if admitted == nil || admitted.Status != metav1.ConditionFalse || admitted.Reason != reason {
			return false
		}
		ready := harness.Message(a)
		if harness.Stage(a) == v1alpha1.PreemptedReason {
			ready, _, _ = strings.Cut(ready, "; was preempted before: ")
		}
		if admitted.Message != ready {
			return false
		}
		return hasAll(admitted.Message, words)
	})
}

// missing waits until an application misses something that the words name.
func missing(t *testing.T, app *v1alpha1.SparkApplication, words ...string) {
	t.Helper()
	harness.Eventually(t, app, "missing "+strings.Join(words, ", "), func(a *v1alpha1.SparkApplication) bool {
		return harness.Stage(a) == "ReferenceNotFound" && hasAll(harness.Message(a), words)
	})
}

func hasAll(message string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(message, word) {
			return false
		}
	}
	return true
}

// counted waits until a queue counts that many applications with and without quota.
func counted(t *testing.T, queue *v1alpha1.SparkQueue, admitted, pending int32) {
	t.Helper()
	harness.Eventually(t, queue, "counted", func(q *v1alpha1.SparkQueue) bool {
		return q.Status.Admitted == admitted && q.Status.Pending == pending
	})
}

// memory returns a quota of memory in the default flavor; an empty limit is none.
func memory(nominal, borrowingLimit string) []v1alpha1.FlavorQuota {
	q := v1alpha1.ResourceQuota{Resource: "memory", Nominal: resource.MustParse(nominal)}
	if borrowingLimit != "" {
		limit := resource.MustParse(borrowingLimit)
		q.BorrowingLimit = &limit
	}
	return []v1alpha1.FlavorQuota{{Name: v1alpha1.DefaultFlavor, Quotas: []v1alpha1.ResourceQuota{q}}}
}

// setMemory changes the quota of a queue.
func setMemory(t *testing.T, queue *v1alpha1.SparkQueue, nominal string) {
	t.Helper()
	harness.Change(t, queue, func(q *v1alpha1.SparkQueue) { q.Spec.Unlimited, q.Spec.Flavors = false, memory(nominal, "") })
}

// in puts an application into a queue.
func in(queue *v1alpha1.SparkQueue) func(*v1alpha1.SparkApplication) {
	return func(app *v1alpha1.SparkApplication) { app.Spec.Queue.Name = queue.Name }
}

func remove(t *testing.T, queue *v1alpha1.SparkQueue) {
	t.Helper()
	if err := env.Client().Delete(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	harness.Gone(t, queue)
}

// finish ends the running driver of an application well.
func finish(t *testing.T, w *harness.World, app *v1alpha1.SparkApplication) {
	t.Helper()
	w.Kubelet.Finish(t.Context(), w.Driver(app), 0, "Completed")
	w.Reach(app, "Succeeded")
}
