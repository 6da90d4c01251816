// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

func TestTransitionTimeFollowsTheStatus(t *testing.T) {
	t.Parallel()
	steps := []struct {
		view status.View
		want map[string]int // condition → second of its last transition
	}{
		{status.View{Stage: status.Queued}, map[string]int{"Ready": 0, "Reconciling": 0, "Admitted": 0, "Finished": 0}},
		{status.View{Stage: status.Queued, Message: "other words", Generation: 2}, map[string]int{"Ready": 0, "Reconciling": 0, "Admitted": 0, "Finished": 0}},
		{status.View{Stage: status.Submitting}, map[string]int{"Ready": 0, "Reconciling": 0, "Admitted": 2, "Running": 2, "Finished": 0}},
		{status.View{Stage: status.Starting}, map[string]int{"Ready": 0, "Reconciling": 0, "Admitted": 2, "Running": 2, "Finished": 0}},
		{status.View{Stage: status.Running}, map[string]int{"Ready": 0, "Reconciling": 0, "Admitted": 2, "Running": 4, "Finished": 0}},
		{status.View{Stage: status.AttemptFailed}, map[string]int{"Ready": 5, "Reconciling": 0, "Admitted": 5, "Running": 5, "Finished": 0}},
		{status.View{Stage: status.Succeeded}, map[string]int{"Ready": 6, "Admitted": 6, "Running": 5, "Finished": 6}},
		{status.View{Stage: status.Queued}, map[string]int{"Ready": 7, "Reconciling": 7, "Admitted": 7, "Finished": 7}},
	}
	var all []metav1.Condition
	for i, step := range steps {
		all = status.Conditions(all, step.view, at(i))
		got := map[string]int{}
		for _, c := range all {
			got[c.Type] = int(c.LastTransitionTime.Sub(at(0).Time).Seconds())
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("step %d, %s (-want +got):\n%s", i, step.view.Stage, diff)
		}
	}
}

func TestWordsOfTheGate(t *testing.T) {
	t.Parallel()
	waits := &status.AdmittedView{Reason: v1alpha1.MaxRunningReason, Message: "2 of 2 run"}
	granted := &status.AdmittedView{Admitted: true, Message: "granted 3 pods"}
	tests := map[string]struct {
		views []status.View
		want  string
	}{
		"are shown":                      {[]status.View{{Stage: status.Queued, Admitted: waits}}, "MaxRunning: 2 of 2 run"},
		"outlive silence while waiting":  {[]status.View{{Stage: status.Queued, Admitted: waits}, {Stage: status.Queued}}, "MaxRunning: 2 of 2 run"},
		"end with the stage of waiting":  {[]status.View{{Stage: status.Preempted, Admitted: waits}, {Stage: status.Queued}}, "WaitingForGate: the gate has not admitted the attempt"},
		"of another wait are forgotten":  {[]status.View{{Stage: status.Suspended}, {Stage: status.Queued}}, "WaitingForGate: the gate has not admitted the attempt"},
		"hold over the whole grant":      {[]status.View{{Stage: status.Submitting, Admitted: granted}, {Stage: status.Starting}, {Stage: status.Running}}, "Admitted: granted 3 pods"},
		"stay after the end":             {[]status.View{{Stage: status.Running, Admitted: granted}, {Stage: status.Finalizing}, {Stage: status.Failed}}, "Admitted: granted 3 pods"},
		"of a wait stay after its end":   {[]status.View{{Stage: status.Queued, Admitted: waits}, {Stage: status.AdmissionTimeout}}, "MaxRunning: 2 of 2 run"},
		"never said: nothing at the end": {[]status.View{{Stage: status.Failed}}, ""},
		"that contradict the stage":      {[]status.View{{Stage: status.Queued, Admitted: granted}}, "WaitingForGate: the gate has not admitted the attempt"},
		"explain a preempted wait":       {[]status.View{{Stage: status.Preempted, Admitted: &status.AdmittedView{Message: "team-b took cpu back"}}}, "Preempted: team-b took cpu back"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all []metav1.Condition
			for i, v := range tc.views {
				all = status.Conditions(all, v, at(i))
			}
			got := ""
			if c := meta.FindStatusCondition(all, v1alpha1.AdmittedCondition); c != nil {
				got = c.Reason + ": " + c.Message
			}
			if got != tc.want {
				t.Errorf("Admitted says %q, want %q", got, tc.want)
			}
		})
	}
}

func TestForeignConditionsAreDropped(t *testing.T) {
	t.Parallel()
	old := []metav1.Condition{{Type: "Sunny", Status: metav1.ConditionTrue, Reason: "Weather", LastTransitionTime: at(0)}}
	got := status.Conditions(old, status.View{Stage: status.Queued}, at(1))
	if meta.FindStatusCondition(got, "Sunny") != nil {
		t.Errorf("a condition that is not in the table was kept: %s", short(got))
	}
	if old[0].Type != "Sunny" {
		t.Errorf("the old conditions were changed: %s", short(old))
	}
}

func TestUnknownStageLeavesAlone(t *testing.T) {
	t.Parallel()
	old := []metav1.Condition{
		{Type: "Checkpointed", Status: metav1.ConditionTrue, Reason: "Hourly", ObservedGeneration: 3, LastTransitionTime: at(0)},
		{Type: "Ready", Status: metav1.ConditionUnknown, Reason: "Checkpointing", Message: "writes", ObservedGeneration: 3, LastTransitionTime: at(0)},
	}
	stage, known := status.StageOf(old)
	if known {
		t.Fatalf("StageOf knows the stage %q", stage)
	}
	marked := status.Conditions(old, status.View{Stage: stage, Generation: 4}, at(5))
	for _, c := range old {
		if diff := cmp.Diff(&c, meta.FindStatusCondition(marked, c.Type)); diff != "" {
			t.Errorf("%s was changed (-want +got):\n%s", c.Type, diff)
		}
	}
	newer := meta.FindStatusCondition(marked, v1alpha1.UnknownStageCondition)
	if newer == nil || !strings.Contains(newer.Message, "Checkpointing") {
		t.Errorf("UnknownStage does not name the stage: %v", newer)
	}
	if again := status.Conditions(marked, status.View{Stage: stage, Generation: 4}, at(9)); !cmp.Equal(marked, again) {
		t.Errorf("the same view is written twice (-first +second):\n%s", cmp.Diff(marked, again))
	}
	if back := status.Conditions(marked, status.View{Stage: status.Running}, at(9)); meta.FindStatusCondition(back, v1alpha1.UnknownStageCondition) != nil {
		t.Errorf("UnknownStage stays in a known stage: %s", short(back))
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		message string
		want    string
	}{
		"empty":                {"", ""},
		"exactly the limit":    {strings.Repeat("a", status.MaxMessage), strings.Repeat("a", status.MaxMessage)},
		"one byte too long":    {strings.Repeat("a", status.MaxMessage+1), strings.Repeat("a", status.MaxMessage-3) + "…"},
		"only prints":          {"a\nb\x1b[2J\u202e\xff", `a\nb\x1b[2J\u202e\xff`},
		"not inside character": {strings.Repeat("é", status.MaxMessage), strings.Repeat("é", (status.MaxMessage-3)/2) + "…"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := status.Truncate(tc.message)
			if got != tc.want {
				t.Errorf("Cut made %d bytes, want %d", len(got), len(tc.want))
			}
			if len(got) > status.MaxMessage || !utf8.ValidString(got) {
				t.Errorf("Cut made %d bytes, valid: %t", len(got), utf8.ValidString(got))
			}
		})
	}
	long := status.Conditions(nil, status.View{Stage: status.Failed, Message: strings.Repeat("€", 5000)}, at(0))
	for _, c := range long {
		if len(c.Message) > status.MaxMessage {
			t.Errorf("%s has a message of %d bytes", c.Type, len(c.Message))
		}
	}
}
