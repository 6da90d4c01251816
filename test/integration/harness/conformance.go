// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// CheckConformance returns the problems with the status of an application: how users' tools would misjudge it (kstatus,
// `kubectl wait`), and broken rules for conditions. It returns none for a correct one.
func CheckConformance(app *v1alpha1.SparkApplication) []string {
	if _, known := kstatusOf[Stage(app)]; !known {
		return []string{fmt.Sprintf("the stage %q is none", Stage(app))}
	}
	problems := append(checkConditions(app), checkStatus(app)...)
	if got, err := Kstatus(app); err != nil {
		problems = append(problems, fmt.Sprintf("kstatus: %v", err))
	} else if want := wantedKstatus(app); got != want {
		problems = append(problems, fmt.Sprintf("kstatus says %s, want %s", got, want))
	}
	if Met(app, v1alpha1.ReadyCondition) && Stage(app) != v1alpha1.SucceededReason && !readyWhileRunning(app) {
		problems = append(problems, "kubectl wait --for=condition=Ready returns before the run has succeeded")
	}
	if ended := ends[Stage(app)] && upToDate(app); Met(app, v1alpha1.FinishedCondition) != ended {
		problems = append(problems, fmt.Sprintf("kubectl wait --for=condition=Finished returns: %t, want %t", !ended, ended))
	}
	return problems
}

// Kstatus returns the verdict on an application of kstatus, the library that Flux uses to wait.
func Kstatus(app *v1alpha1.SparkApplication) (string, error) {
	served := app.DeepCopy()
	served.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("SparkApplication"))
	return kstatus(served)
}

// KstatusOfQueue returns the verdict of kstatus on a queue.
func KstatusOfQueue(queue *v1alpha1.SparkQueue) (string, error) {
	served := queue.DeepCopy()
	served.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("SparkQueue"))
	return kstatus(served)
}

// readyWhileRunning reports whether an application is Ready while it runs: it says so, or is a server.
func readyWhileRunning(app *v1alpha1.SparkApplication) bool {
	return app.Spec.ReadyWhen == v1alpha1.ReadyWhenRunning || app.Spec.Server != nil
}

// kstatus evaluates an object as a client reads it.
func kstatus(served client.Object) (string, error) {
	raw, err := json.Marshal(served)
	if err != nil {
		return "", err
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(raw); err != nil {
		return "", err
	}
	result, err := status.Compute(u)
	if err != nil {
		return "", err
	}
	return result.Status.String(), nil
}

// Met reports whether `kubectl wait --for=condition=…` would return: a condition about an older generation does not
// count.
func Met(app *v1alpha1.SparkApplication, conditionType string) bool {
	c := apimeta.FindStatusCondition(app.Status.Conditions, conditionType)
	return c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration >= app.Generation
}

const (
	inProgress, current, failed, terminating = "InProgress", "Current", "Failed", "Terminating"
)

// kstatusOf is the expected verdict of kstatus for each stage, if the status is up to date.
var kstatusOf = map[string]string{
	"": inProgress, "Queued": inProgress, "ReferenceNotFound": inProgress, "Submitting": inProgress, "Starting": inProgress,
	"Running": inProgress, "Finalizing": inProgress, "Suspended": inProgress, "Idle": inProgress, "Preempted": inProgress, "AttemptFailed": inProgress,
	"Succeeded": current, "Failed": failed, "DriverStartTimeout": failed, "AdmissionTimeout": failed,
	"DeadlineExceeded": failed, "TotalDeadlineExceeded": failed, "RetriesExceeded": failed, "ExecutorStartTimeout": failed, "InvalidSpec": failed, "NotYetSupported": failed,
	"ExceedsQuota": failed, "Deactivated": failed, "FlavorMismatch": failed, "GateConflict": failed,
}

// ends are the stages in which a run has ended.
var ends = map[string]bool{
	"Succeeded": true, "Failed": true, "DriverStartTimeout": true, "AdmissionTimeout": true, "DeadlineExceeded": true, "TotalDeadlineExceeded": true,
	"RetriesExceeded": true, "ExecutorStartTimeout": true, "GateConflict": true,
}

// active are the stages in which an application holds a grant.
var active = map[string]bool{"Submitting": true, "Starting": true, "Running": true, "Finalizing": true}

func upToDate(app *v1alpha1.SparkApplication) bool {
	return app.Status.ObservedGeneration == app.Generation
}

func wantedKstatus(app *v1alpha1.SparkApplication) string {
	switch {
	case app.DeletionTimestamp != nil:
		return terminating
	case !upToDate(app):
		return inProgress
	case is(app, v1alpha1.StalledCondition) && (Stage(app) == v1alpha1.ReferenceNotFoundReason || keptOut(app) || heldBack(app)):
		return failed
	case Stage(app) == v1alpha1.RunningReason && readyWhileRunning(app) && app.Status.Times.ExecutorsReady != nil:
		if is(app, v1alpha1.NodeLostCondition) || lacksWorkers(app) {
			return inProgress
		}
		return current
	}
	return kstatusOf[Stage(app)]
}

// heldBack reports whether an application runs and cannot be restarted for a changed spec because the spec has a
// mistake.
func heldBack(app *v1alpha1.SparkApplication) bool {
	return (Stage(app) == "Starting" || Stage(app) == "Running") && strings.Contains(Message(app), "cannot begin yet")
}

// lacksWorkers reports whether the master of a cluster does not say that it has enough workers.
func lacksWorkers(app *v1alpha1.SparkApplication) bool {
	return strings.Contains(Message(app), "ALIVE at the master") || strings.Contains(Message(app), "not known which workers")
}

// keptOut reports whether an application waits for a queue that does not admit its namespace.
func keptOut(app *v1alpha1.SparkApplication) bool {
	c := apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.AdmittedCondition)
	return c != nil && c.Reason == v1alpha1.NamespaceNotAllowedReason
}

// checkConditions checks the rules between Ready, Reconciling and Stalled, and that all conditions are about the same
// generation.
func checkConditions(app *v1alpha1.SparkApplication) []string {
	ready := apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.ReadyCondition)
	if ready == nil {
		if len(app.Status.Conditions) > 0 {
			return []string{"there are conditions but no Ready"}
		}
		return nil
	}
	var problems []string
	reconciling, stalled := is(app, v1alpha1.ReconcilingCondition), is(app, v1alpha1.StalledCondition)
	if reconciling && stalled {
		problems = append(problems, "Reconciling and Stalled at once")
	}
	if s := apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.StalledCondition); s != nil && (ready.Status != metav1.ConditionFalse || s.Reason != ready.Reason) {
		problems = append(problems, fmt.Sprintf("Stalled=%s/%s beside Ready=%s/%s", s.Status, s.Reason, ready.Status, ready.Reason))
	}
	if ready.Status == metav1.ConditionUnknown && !reconciling {
		problems = append(problems, "Ready is Unknown but nothing is Reconciling")
	}
	return append(problems, checkEach(app)...)
}

// checkEach checks the rules for every single condition.
func checkEach(app *v1alpha1.SparkApplication) []string {
	var problems []string
	for _, c := range app.Status.Conditions {
		if c.ObservedGeneration != app.Status.ObservedGeneration {
			problems = append(problems, fmt.Sprintf("%s speaks of generation %d, the status of %d", c.Type, c.ObservedGeneration, app.Status.ObservedGeneration))
		}
		if c.Message == "" {
			problems = append(problems, c.Type+" has no message")
		}
	}
	return problems
}

// withoutFinalizer is the problem of an application that holds quota but could be deleted at once.
const withoutFinalizer = "a grant without the finalizer"

// checkStatus checks that stage, grant, finalizer and counters are consistent.
func checkStatus(app *v1alpha1.SparkApplication) []string {
	var problems []string
	held := app.Status.Grant != nil
	if held != active[Stage(app)] {
		problems = append(problems, fmt.Sprintf("in the stage %s with a grant: %t", Stage(app), held))
	}
	if held && app.DeletionTimestamp == nil && !strings.Contains(strings.Join(app.Finalizers, " "), v1alpha1.Finalizer) {
		problems = append(problems, withoutFinalizer)
	}
	if held && (app.Status.Grant.Run != app.Status.Run || app.Status.Grant.Attempt != app.Status.Attempt) {
		problems = append(problems, fmt.Sprintf("the grant is of attempt %d/%d, the status of %d/%d",
			app.Status.Grant.Run, app.Status.Grant.Attempt, app.Status.Run, app.Status.Attempt))
	}
	if held && app.Status.Times.Finished != nil {
		problems = append(problems, "a grant after the end, which a new leader would overlook")
	}
	if ends[Stage(app)] && app.Status.Times.Finished == nil {
		problems = append(problems, "an end without a time")
	}
	return problems
}

func is(app *v1alpha1.SparkApplication, conditionType string) bool {
	return apimeta.IsStatusConditionTrue(app.Status.Conditions, conditionType)
}
