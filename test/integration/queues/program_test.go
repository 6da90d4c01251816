// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestProgramAsksForMore: what a program asks for in its code is charged as far as the queue has quota, and ended beyond that.
func TestProgramAsksForMore(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, harness.MemoryFor(3), nil)
	operator.Use(t)
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) { a.Spec.Executor.Instances = ptr.To[int32](1) })
	driver := w.Run(app)
	w.Kubelet.Executors(t.Context(), driver, 2)
	harness.Eventually(t, w.Queue, "charged with the second executor", func(q *v1alpha1.SparkQueue) bool {
		return q.Status.Summary["memory"] == "2.625Gi/2.625Gi" && q.Status.Elastic != nil && q.Status.Elastic.Granted == 1
	})
	says(t, app, "the program asks for 2 executors: spec.executor.instances is 1; write 2 there, or remove spark.executor.instances from the program")

	surplus := w.Kubelet.ExecutorsFrom(t.Context(), driver, 3, 1)[0]
	harness.Eventually(t, app, "refused the third executor", func(a *v1alpha1.SparkApplication) bool { return a.Status.Executors.Refusals == 1 })
	env.Until(t, "the third executor is deleted", func() bool {
		for _, pod := range w.Pods() {
			if pod.Name == surplus.Name && pod.DeletionTimestamp == nil {
				return false
			}
		}
		return true
	})
	says(t, app, "the program asks for 3 executors: spec.executor.instances is 1", "executors beyond the grant are ended", w.Queue.Name)
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, "Succeeded")
	w.Unused()
	if q := w.Queue; q.Status.Elastic != nil {
		t.Errorf("still wanted: %+v", q.Status.Elastic)
	}
}

// TestProgramAsksForExecutorsThatItHasNot: a driver that was granted alone has no executors, whatever its program says.
func TestProgramAsksForExecutorsThatItHasNot(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, harness.MemoryFor(2), nil)
	operator.Use(t)
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) {
		a.Spec.SparkConf = map[string]string{"spark.kubernetes.driver.master": "local[2]"}
	})
	driver := w.Run(app)
	w.Kubelet.Executors(t.Context(), driver, 1)
	says(t, app, "the program creates executors, although spark.kubernetes.driver.master in spec.sparkConf asks for none: remove that property", "are ended")
	harness.Eventually(t, app, "refused the executor", func(a *v1alpha1.SparkApplication) bool { return a.Status.Executors.Refusals == 1 })
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, "Succeeded")
	w.Unused()
}

// says waits until the message of Ready, the problem of the executors and an event have these words.
func says(t *testing.T, app *v1alpha1.SparkApplication, words ...string) {
	t.Helper()
	harness.Eventually(t, app, "saying "+strings.Join(words, ", "), func(a *v1alpha1.SparkApplication) bool {
		return hasAll(harness.Message(a), words) && hasAll(a.Status.Executors.Problem, words)
	})
	events := &corev1.EventList{}
	if err := env.Client().List(t.Context(), events); err != nil {
		t.Fatal(err)
	}
	for _, e := range events.Items {
		if e.InvolvedObject.UID == app.UID && e.Reason == "ExecutorsExceedGrant" {
			return
		}
	}
	t.Error("no event ExecutorsExceedGrant")
}
