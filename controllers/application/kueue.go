// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"fmt"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/lifecycle"
)

// kueueFindings are mistakes that count under the gate Kueue only, whoever has chosen it.
func kueueFindings(app *v1alpha1.SparkApplication, gate string) []lifecycle.Finding {
	q := app.Spec.Queue
	if gate != string(v1alpha1.GateKueue) || q == nil {
		return nil
	}
	var found []lifecycle.Finding
	add := func(format string, a ...any) {
		found = append(found, lifecycle.Finding{Reason: v1alpha1.InvalidSpecReason, Message: fmt.Sprintf(format, a...)})
	}
	if label := app.Labels[v1alpha1.KueueQueueLabel]; label != "" && q.Name != "" && q.Name != label {
		add("spec.queue.name: value %q contradicts the label %s=%s of the application: remove one of them, or set them to the same value",
			q.Name, v1alpha1.KueueQueueLabel, label)
	}
	if q.Flavors != nil {
		add("spec.queue.flavors: these are flavors of SparkQueues, which Kueue does not know: remove it, and set nodeSelector or affinity of driver " +
			"and executor to what distinguishes the flavor of Kueue")
	}
	return found
}
