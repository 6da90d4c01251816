// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"cmp"
	"context"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

// Log lines identify the application by the keys of controller-runtime's logger. They contain stages, reasons and
// numbers, but no messages: texts written by tenants or other components appear only in the status and in events, after
// redaction.

// logStage logs the stage that a status write has entered. It is called only after a successful write, so there is at
// most one line per write.
func logStage(ctx context.Context, before, after *v1alpha1.SparkApplication) {
	was, _ := status.StageOf(before.Status.Conditions)
	is, known := status.StageOf(after.Status.Conditions)
	s := &after.Status
	if !known || (was == is && before.Status.Run == s.Run && before.Status.Attempt == s.Attempt) {
		return
	}
	values := []any{"oldStage", stageText(was), "newStage", stageText(is), "reason", stageReason(s), "run", s.Run, "attempt", s.Attempt, "queue", s.Queue}
	if grant := cmp.Or(s.Grant, before.Status.Grant); grant != nil {
		values = append(values, "gate", grant.Gate)
	}
	ctrl.LoggerFrom(ctx).Info("Stage changed", values...)
}

// stageReason returns the detail of a stage: why the attempt is being stopped, how it ended, or why it waits.
func stageReason(s *v1alpha1.SparkApplicationStatus) string {
	if s.Stopping != "" {
		return string(s.Stopping)
	}
	if n := len(s.Attempts); n > 0 && s.Attempts[n-1].Run == s.Run && s.Attempts[n-1].Attempt == s.Attempt {
		return pods.ReasonLabel(s.Attempts[n-1].Reason)
	}
	if c := apimeta.FindStatusCondition(s.Conditions, v1alpha1.AdmittedCondition); c != nil {
		return c.Reason
	}
	return ""
}

// stageText returns the name of a stage; the stage of an application without conditions is "New".
func stageText(s status.Stage) string {
	if s == status.New {
		return "New"
	}
	return string(s)
}
