// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

// TestScheduleConditions: what kstatus and Argo CD say of a schedule in each state.
func TestScheduleConditions(t *testing.T) {
	t.Parallel()
	failed := &status.LastRun{Name: "nightly-1", Message: "exit code 3"}
	for name, tc := range map[string]struct {
		view                                 status.ScheduleView
		ready, reason, kstatus, argo, lastOK string
	}{
		"scheduled":         {status.ScheduleView{Rule: "runs"}, "True", "Scheduled", "Current", "Healthy", ""},
		"suspended":         {status.ScheduleView{Suspended: true}, "True", "Suspended", "Current", "Healthy", ""},
		"a mistake":         {status.ScheduleView{Mistake: "spec.schedule"}, "False", "InvalidSpec", "Failed", "Degraded", ""},
		"cannot create":     {status.ScheduleView{Refused: "quota"}, "False", "CreateFailed", "InProgress", "Progressing", ""},
		"the last run":      {status.ScheduleView{Rule: "runs", LastRun: &status.LastRun{Name: "nightly-1", Succeeded: true}}, "True", "Scheduled", "Current", "Healthy", "True"},
		"failed":            {status.ScheduleView{Rule: "runs", LastRun: failed}, "True", "Scheduled", "Current", "Healthy", "False"},
		"failed, and it is": {status.ScheduleView{Rule: "runs", LastRun: failed, NeedsSuccess: true}, "False", "LastRunFailed", "Failed", "Degraded", "False"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &v1alpha1.ScheduledSparkApplication{}

			s.Name, s.Namespace, s.Generation, s.Status.ObservedGeneration = "nightly", "default", 2, 2
			tc.view.Generation = 2
			s.Status.Conditions = status.ScheduleConditions(nil, tc.view, metav1.NewTime(time.Unix(0, 0)))
			got := map[string]string{}
			for _, c := range s.Status.Conditions {
				got[c.Type] = string(c.Status) + "/" + c.Reason
			}
			if want := tc.ready + "/" + tc.reason; got["Ready"] != want {
				t.Errorf("Ready is %s, want %s", got["Ready"], want)
			}
			if !status.IsScheduleReason(tc.reason) {
				t.Errorf("%s is not among the reasons of schedules", tc.reason)
			}
			if diff := cmp.Diff(tc.lastOK, statusOf(s, v1alpha1.LastRunSucceededCondition)); diff != "" {
				t.Errorf("LastRunSucceeded (-want +got):\n%s", diff)
			}
			object := served(t, v1alpha1.ScheduledSparkApplicationKind, s)
			if got := kstatusOf(t, object); got != tc.kstatus {
				t.Errorf("kstatus says %s, want %s", got, tc.kstatus)
			}
			if got, _ := argoOf(t, object); got != tc.argo {
				t.Errorf("Argo CD says %s, want %s", got, tc.argo)
			}
		})
	}
}

func statusOf(s *v1alpha1.ScheduledSparkApplication, conditionType string) string {
	for _, c := range s.Status.Conditions {
		if c.Type == conditionType {
			return string(c.Status)
		}
	}
	return ""
}
