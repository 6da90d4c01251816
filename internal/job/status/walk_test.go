// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

// views returns every view of a stage and the flags.
func views() []status.View {
	var all []status.View
	for _, stage := range append(status.Stages(), "Unheard-of") {
		for _, admitted := range []*status.AdmittedView{nil, {Admitted: true}, {Reason: v1alpha1.QueueHeldReason, Message: "held"}} {
			for flags := range 1 << 7 {
				on := func(bit int) bool { return flags>>bit&1 == 1 }
				v := status.View{Stage: stage, Admitted: admitted, Generation: 7, DriverRunning: on(0), ReadyLatched: on(1), ReferenceOverdue: on(2)}
				if on(3) {
					v.ReadyWhen = v1alpha1.ReadyWhenRunning
				}
				v.Blocked, v.ReadyLost = on(5), on(6)
				if on(4) {
					v.Message, v.TemplateIgnored, v.NodeLost, v.UnknownStage = "m", "t", "n", "o"
				}
				all = append(all, v)
			}
		}
	}
	return all
}

// TestRulesHoldEverywhere walks from every view to every stage, and checks the rules of the package after each step.
func TestRulesHoldEverywhere(t *testing.T) {
	t.Parallel()
	firsts := views()
	for _, first := range firsts {
		if first.Stage == "Unheard-of" {
			continue // would keep what it finds: nothing
		}
		old := status.Conditions(nil, first, at(0))
		checkRules(t, fmt.Sprintf("%+v", first), old)
		for _, stage := range status.Stages() {
			second := first
			second.Stage, second.Admitted = stage, nil
			got := status.Conditions(old, second, at(60))
			checkRules(t, fmt.Sprintf("%s → %s", first.Stage, stage), got)
			if again := status.Conditions(got, second, at(120)); !cmp.Equal(got, again) {
				t.Errorf("%s → %s: the same view is written twice (-first +second):\n%s", first.Stage, stage, cmp.Diff(got, again))
			}
		}
		if t.Failed() {
			return
		}
	}
}

// found are the conditions that the rules speak of; nil where one is not shown.
type found struct {
	all                                                      []metav1.Condition
	ready, reconciling, stalled, admitted, running, finished *metav1.Condition
}

// rules are those of the package, and what follows from the table.
var rules = map[string]func(f found) bool{
	"at most one of Reconciling and Stalled": func(f found) bool { return f.reconciling == nil || f.stalled == nil },
	"Stalled means Ready=False, same reason": func(f found) bool {
		return f.stalled == nil || (f.ready.Status == metav1.ConditionFalse && f.ready.Reason == f.stalled.Reason)
	},
	"Ready=Unknown means Reconciling": func(f found) bool { return f.ready.Status != metav1.ConditionUnknown || f.reconciling != nil },
	"Ready=True means neither":        func(f found) bool { return !isTrue(f.ready) || (f.reconciling == nil && f.stalled == nil) },
	"retried is False with ProgressingWithRetry": func(f found) bool {
		return f.reconciling == nil || (f.ready.Status == metav1.ConditionFalse) == (f.reconciling.Reason == v1alpha1.ProgressingWithRetryReason)
	},
	"Finished=True means Ready or Stalled":         func(f found) bool { return !isTrue(f.finished) || isTrue(f.ready) || f.stalled != nil },
	"Running=True means not Finished":              func(f found) bool { return !isTrue(f.running) || !isTrue(f.finished) },
	"a running driver is admitted":                 func(f found) bool { return !isTrue(f.running) || isTrue(f.admitted) },
	"the message of Ready stands in Reconciling":   func(f found) bool { return f.reconciling == nil || f.reconciling.Message == f.ready.Message },
	"the message of Ready stands in Stalled":       func(f found) bool { return f.stalled == nil || f.stalled.Message == f.ready.Message },
	"Finished is always said":                      func(f found) bool { return f.finished != nil },
	"Stalled, Reconciling, Ready, then by name":    func(f found) bool { return sortedForPeople(f.all) },
	"ReferenceNotFound says nothing of the gate":   func(f found) bool { return f.ready.Reason != v1alpha1.ReferenceNotFoundReason || f.admitted == nil },
	"a failed run is neither Ready nor on its way": func(f found) bool { return !status.Stage(f.ready.Reason).Failed() || f.stalled != nil },
}

func checkRules(t *testing.T, name string, all []metav1.Condition) {
	t.Helper()
	find := func(conditionType string) *metav1.Condition { return meta.FindStatusCondition(all, conditionType) }
	f := found{
		all: all, ready: find(v1alpha1.ReadyCondition), reconciling: find(v1alpha1.ReconcilingCondition), stalled: find(v1alpha1.StalledCondition),
		admitted: find(v1alpha1.AdmittedCondition), running: find(v1alpha1.RunningCondition), finished: find(v1alpha1.FinishedCondition),
	}
	if f.ready == nil {
		if len(all) > 0 {
			t.Errorf("%s: conditions without Ready: %s", name, short(all))
		}
		return
	}
	for rule, holds := range rules {
		if !holds(f) {
			t.Errorf("%s: rule broken: %s\n%s", name, rule, short(all))
		}
	}
	for _, c := range all {
		checkShape(t, name, c)
	}
}

// abnormal conditions show only when True.
var abnormal = map[string]bool{
	v1alpha1.StalledCondition: true, v1alpha1.ReconcilingCondition: true, v1alpha1.NodeLostCondition: true,
	v1alpha1.TemplateIgnoredCondition: true, v1alpha1.UnknownStageCondition: true,
}

func checkShape(t *testing.T, name string, c metav1.Condition) {
	t.Helper()
	switch {
	case abnormal[c.Type] && c.Status != metav1.ConditionTrue:
		t.Errorf("%s: %s=%s shows although it is not True", name, c.Type, c.Status)
	case c.Reason == "" || strings.ContainsAny(c.Reason, " -."):
		t.Errorf("%s: %s has no reason that the API accepts: %q", name, c.Type, c.Reason)
	case c.ObservedGeneration != 7:
		t.Errorf("%s: %s speaks of generation %d, want 7", name, c.Type, c.ObservedGeneration)
	case c.LastTransitionTime.IsZero():
		t.Errorf("%s: %s has no lastTransitionTime", name, c.Type)
	case c.Type == v1alpha1.AdmittedCondition && !admittedReasons[c.Reason]:
		t.Errorf("%s: Admitted=%s has reason %s, which is not on the closed list", name, c.Status, c.Reason)
	}
}

// admittedReasons is the closed list.
var admittedReasons = map[string]bool{
	v1alpha1.AdmittedReason: true, v1alpha1.DelegatedToSchedulerReason: true, v1alpha1.WaitingForQuotaReason: true, v1alpha1.QueueHeldReason: true,
	v1alpha1.NamespaceNotAllowedReason: true, v1alpha1.ExceedsQuotaReason: true, v1alpha1.MaxRunningReason: true, v1alpha1.FlavorMismatchReason: true,
	v1alpha1.PreemptedReason: true, v1alpha1.SuspendedReason: true, v1alpha1.GateNotInstalledReason: true, v1alpha1.WaitingForGateReason: true,
}

func isTrue(c *metav1.Condition) bool { return c != nil && c.Status == metav1.ConditionTrue }

func sortedForPeople(all []metav1.Condition) bool {
	key := func(conditionType string) string {
		if i := strings.Index("Stalled Reconciling Ready ", conditionType+" "); i >= 0 {
			return fmt.Sprintf("%02d", i)
		}
		return conditionType
	}
	for i := 1; i < len(all); i++ {
		if key(all[i-1].Type) >= key(all[i].Type) {
			return false
		}
	}
	return true
}

// TestStageIsStoredInReady reads every stage back from what was written: nothing else stores it.
func TestStageIsStoredInReady(t *testing.T) {
	t.Parallel()
	for _, v := range views() {
		if v.Stage == "Unheard-of" {
			continue
		}
		got, known := status.StageOf(status.Conditions(nil, v, at(0)))
		if got != v.Stage || !known {
			t.Errorf("StageOf = %q, %t, want %q, true", got, known, v.Stage)
		}
	}
}

// TestStageClasses says for every stage what a lifecycle asks of it.
func TestStageClasses(t *testing.T) {
	t.Parallel()
	want := map[status.Stage]string{
		status.New: "", status.Suspended: "",
		status.Queued: "waiting", status.ReferenceNotFound: "waiting", status.Preempted: "waiting", status.AttemptFailed: "waiting",
		status.Submitting: "active", status.Starting: "active", status.Running: "active", status.Finalizing: "active",
		status.InvalidSpec: "blocked", status.NotYetSupported: "blocked", status.ExceedsQuota: "waiting blocked",
		status.Deactivated: "waiting blocked", status.FlavorMismatch: "waiting blocked", status.GateConflict: "ended failed", status.Idle: "",
		status.Succeeded: "ended",
		status.Failed:    "ended failed", status.RetriesExceeded: "ended failed", status.DeadlineExceeded: "ended failed",
		status.TotalDeadlineExceeded: "ended failed", status.AdmissionTimeout: "ended failed", status.DriverStartTimeout: "ended failed",
		status.ExecutorStartTimeout: "ended failed",
	}
	got := map[status.Stage]string{}
	for _, s := range status.Stages() {
		var words []string
		for word, holds := range map[string]bool{"waiting": s.Waiting(), "active": s.Active(), "blocked": s.Blocked(), "ended": s.Ended()} {
			if holds {
				words = append(words, word)
			}
		}
		if len(words) == 2 { // maps have no order
			words = []string{"waiting", "blocked"}
		}
		if s.Failed() {
			words = append(words, "failed")
		}
		got[s] = strings.Join(words, " ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
}
