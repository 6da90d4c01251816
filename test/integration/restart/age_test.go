// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package restart

import (
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestNewestIsPreempted: of equals the one that was admitted last loses its work, also if the operator was started again
// since.
func TestNewestIsPreempted(t *testing.T) {
	w := harness.NewWorld(t, "6Gi", nil)
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) {
		q.Spec.PriorityClassNames = []string{"system-node-critical"}
		q.Spec.Preemption = &v1alpha1.QueuePreemption{WithinQueue: v1alpha1.PreemptLowerPriority}
	})
	operator := start(t)
	older := w.Apply("b-older")
	w.Run(older)
	env.Until(t, "a second has passed", func() bool { return time.Since(older.Status.Times.Admitted.Time) >= 2*time.Second })
	newer := w.Apply("a-newer")
	w.Run(newer)
	operator.Stop()

	start(t)
	urgent := w.Apply("urgent", func(a *v1alpha1.SparkApplication) { a.Spec.Queue.PriorityClassName = "system-node-critical" })
	w.Reach(newer, v1alpha1.PreemptedReason)
	w.Run(urgent)
	if harness.Eventually(t, older, "running", harness.InStage(v1alpha1.RunningReason)); older.Status.Attempt != 1 {
		t.Errorf("the older one was preempted: %s", harness.Show(older))
	}
}
