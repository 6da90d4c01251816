// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

const (
	inProgress  = "InProgress"
	current     = "Current"
	failed      = "Failed"
	progressing = "Progressing"
	healthy     = "Healthy"
	degraded    = "Degraded"
)

// line is one row of the contract: a view, and what each judge says about the object then.
type line struct {
	// before are earlier views of the same object.
	before []status.View
	view   status.View
	// edited: the spec changed after the view was published.
	edited bool
	// deleted: the object has a deletionTimestamp.
	deleted bool
	// unseen: the operator never looked; status as the CRD's default makes it.
	unseen bool

	want    string
	kstatus string
	// argo is empty where Argo CD asks its engine instead of the script.
	argo   string
	checks checkSet
	// waits are the conditions for which kubectl wait returns.
	waits []string
	// started and suspendedDone are the verdicts of the two shipped profiles for Flux.
	started, suspendedDone string
}

var (
	queued     = status.View{Stage: status.Queued, Admitted: &status.AdmittedView{Reason: v1alpha1.WaitingForQuotaReason, Message: "cpu: needs 3, 1 of 2 is free"}}
	submitting = status.View{Stage: status.Submitting, Admitted: &status.AdmittedView{Admitted: true, Message: "queue team-a granted 3 pods"}}
	starting   = status.View{Stage: status.Starting}
	running    = status.View{Stage: status.Running}
	stopping   = status.View{Stage: status.Finalizing, DriverRunning: true}
	finalizing = status.View{Stage: status.Finalizing}
	toRunning  = []status.View{queued, submitting, starting, running}
	toTheEnd   = []status.View{queued, submitting, starting, running, finalizing}
)

func lines() map[string]line {
	all := map[string]line{}
	for _, group := range []map[string]line{beforeTheDriver(), withTheDriver(), afterTheEnd(), blocked(), otherwise()} {
		for name, l := range group {
			all[name] = l
		}
	}
	return all
}

func beforeTheDriver() map[string]line {
	return map[string]line{
		"created, CRD default": {
			unseen: true, want: "", kstatus: inProgress, argo: progressing, checks: unchecked, started: inProgress, suspendedDone: inProgress,
		},
		"queued": {
			view:    queued,
			want:    "Reconciling=True/Progressing Ready=Unknown/Queued Admitted=False/WaitingForQuota Finished=False",
			kstatus: inProgress, argo: progressing, checks: onTheWay, waits: []string{"Reconciling"}, started: inProgress, suspendedDone: inProgress,
		},
		"queued, the gate has not spoken": {
			view:    status.View{Stage: status.Queued},
			want:    "Reconciling=True/Progressing Ready=Unknown/Queued Admitted=False/WaitingForGate Finished=False",
			kstatus: inProgress, argo: progressing, checks: onTheWay, waits: []string{"Reconciling"}, started: inProgress, suspendedDone: inProgress,
		},
		"admitted, submitting": {
			before: []status.View{queued}, view: submitting,
			want:    "Reconciling=True/Progressing Ready=Unknown/Submitting Admitted=True/Admitted Finished=False Running=False",
			kstatus: inProgress, argo: progressing, checks: onTheWay, waits: []string{"Admitted", "Reconciling"}, started: inProgress, suspendedDone: inProgress,
		},
		"admitted, starting": {
			before: []status.View{queued, submitting}, view: starting,
			want:    "Reconciling=True/Progressing Ready=Unknown/Starting Admitted=True/Admitted Finished=False Running=False",
			kstatus: inProgress, argo: progressing, checks: onTheWay, waits: []string{"Admitted", "Reconciling"}, started: inProgress, suspendedDone: inProgress,
		},
		"admitted by nobody, submitting": {
			view:    status.View{Stage: status.Submitting, Admitted: &status.AdmittedView{Admitted: true, Reason: v1alpha1.DelegatedToSchedulerReason}},
			want:    "Reconciling=True/Progressing Ready=Unknown/Submitting Admitted=True/DelegatedToScheduler Finished=False Running=False",
			kstatus: inProgress, argo: progressing, checks: onTheWay, waits: []string{"Admitted", "Reconciling"}, started: inProgress, suspendedDone: inProgress,
		},
		"reference missing": {
			view:    status.View{Stage: status.ReferenceNotFound},
			want:    "Reconciling=True/ProgressingWithRetry Ready=False/ReferenceNotFound Finished=False",
			kstatus: inProgress, argo: progressing, checks: atRest, waits: []string{"Reconciling"}, started: inProgress, suspendedDone: inProgress,
		},
		"reference missing for too long": {
			view:    status.View{Stage: status.ReferenceNotFound, ReferenceOverdue: true},
			want:    "Stalled=True/ReferenceNotFound Ready=False/ReferenceNotFound Finished=False",
			kstatus: failed, argo: degraded, checks: atRest, waits: []string{"Stalled"}, started: failed, suspendedDone: failed,
		},
		"a namespace that the queue does not admit for too long": {
			before:  []status.View{queued},
			view:    status.View{Stage: status.Queued, Admitted: &status.AdmittedView{Reason: v1alpha1.NamespaceNotAllowedReason}, ReferenceOverdue: true},
			want:    "Stalled=True/Queued Ready=False/Queued Admitted=False/NamespaceNotAllowed Finished=False",
			kstatus: failed, argo: degraded, checks: atRest, waits: []string{"Stalled"}, started: failed, suspendedDone: failed,
		},
		"suspended before start": {
			before: []status.View{queued}, view: status.View{Stage: status.Suspended},
			want:    "Ready=False/Suspended Admitted=False/Suspended Finished=False",
			kstatus: inProgress, argo: "Suspended", checks: atRest, waits: []string{}, started: inProgress, suspendedDone: current,
		},
	}
}

func withTheDriver() map[string]line {
	forever := status.View{Stage: status.Running, ReadyWhen: v1alpha1.ReadyWhenRunning}
	serving := forever
	serving.ReadyLatched = true
	lost := serving
	lost.ReadyLost = true
	blocked := serving
	blocked.Blocked = true
	return map[string]line{
		"running": {
			before: toRunning[:3], view: running,
			want:    "Reconciling=True/Progressing Ready=Unknown/Running Admitted=True/Admitted Finished=False Running=True",
			kstatus: inProgress, argo: progressing, checks: onTheWay, waits: []string{"Admitted", "Reconciling", "Running"}, started: current, suspendedDone: inProgress,
		},
		"running, readyWhen: Running": {
			before: toRunning[:3], view: serving,
			want:    "Ready=True/Running Admitted=True/Admitted Finished=False Running=True",
			kstatus: current, argo: healthy, checks: atRest, waits: []string{"Admitted", "Ready", "Running"}, started: current, suspendedDone: current,
		},
		"running, readyWhen: Running, the driver is no longer ready": {
			before: append(slices.Clone(toRunning[:3]), serving), view: lost,
			want:    "Reconciling=True/ProgressingWithRetry Ready=False/Running Admitted=True/Admitted Finished=False Running=True",
			kstatus: inProgress, argo: progressing, checks: onTheWay, waits: []string{"Admitted", "Reconciling", "Running"}, started: current, suspendedDone: inProgress,
		},
		"running, the run that is to restart it cannot begin for a mistake": {
			before: append(slices.Clone(toRunning[:3]), serving), view: blocked,
			want:    "Stalled=True/Running Ready=False/Running Admitted=True/Admitted Finished=False Running=True",
			kstatus: failed, argo: degraded, checks: atRest, waits: []string{"Admitted", "Running", "Stalled"}, started: failed, suspendedDone: failed,
		},
		"running, readyWhen: Running, executors not ready yet": {
			before: toRunning[:3], view: forever,
			want:    "Reconciling=True/Progressing Ready=Unknown/Running Admitted=True/Admitted Finished=False Running=True",
			kstatus: inProgress, argo: progressing, checks: onTheWay, waits: []string{"Admitted", "Reconciling", "Running"}, started: current, suspendedDone: inProgress,
		},
		"preempted, requeued": {
			before: toTheEnd, view: status.View{Stage: status.Preempted},
			want:    "Reconciling=True/Progressing Ready=Unknown/Preempted Admitted=False/Preempted Finished=False Running=False",
			kstatus: inProgress, argo: progressing, checks: onTheWay, waits: []string{"Reconciling"}, started: inProgress, suspendedDone: inProgress,
		},
		"preempted, the gate says why it waits": {
			before:  append(slices.Clone(toTheEnd), status.View{Stage: status.Preempted}),
			view:    status.View{Stage: status.Preempted, Admitted: &status.AdmittedView{Reason: v1alpha1.QueueHeldReason, Message: "queue team-a is held"}},
			want:    "Reconciling=True/Progressing Ready=Unknown/Preempted Admitted=False/QueueHeld Finished=False Running=False",
			kstatus: inProgress, argo: progressing, checks: onTheWay, waits: []string{"Reconciling"}, started: inProgress, suspendedDone: inProgress,
		},
		"preempted, admitted again": {
			before: append(slices.Clone(toTheEnd), status.View{Stage: status.Preempted}), view: submitting,
			want:    "Reconciling=True/Progressing Ready=Unknown/Submitting Admitted=True/Admitted Finished=False Running=False",
			kstatus: inProgress, argo: progressing, checks: onTheWay, waits: []string{"Admitted", "Reconciling"}, started: inProgress, suspendedDone: inProgress,
		},
		"attempt failed, backoff": {
			before: toTheEnd, view: status.View{Stage: status.AttemptFailed},
			want:    "Reconciling=True/ProgressingWithRetry Ready=False/AttemptFailed Admitted=False/WaitingForGate Finished=False Running=False",
			kstatus: inProgress, argo: progressing, checks: atRest, waits: []string{"Reconciling"}, started: inProgress, suspendedDone: inProgress,
		},
		"finalizing": {
			before: toRunning, view: finalizing,
			want:    "Reconciling=True/Progressing Ready=Unknown/Finalizing Admitted=True/Admitted Finished=False Running=False",
			kstatus: inProgress, argo: progressing, checks: onTheWay, waits: []string{"Admitted", "Reconciling"}, started: inProgress, suspendedDone: inProgress,
		},
		"finalizing, the driver is still being stopped": {
			before: toRunning, view: stopping,
			want:    "Reconciling=True/Progressing Ready=Unknown/Finalizing Admitted=True/Admitted Finished=False Running=True",
			kstatus: inProgress, argo: progressing, checks: onTheWay, waits: []string{"Admitted", "Reconciling", "Running"}, started: current, suspendedDone: inProgress,
		},
		"idle": {
			before: append(slices.Clone(toRunning), stopping, finalizing), view: status.View{Stage: status.Idle},
			want:    "Ready=False/Idle Admitted=False/Suspended Finished=False Running=False",
			kstatus: inProgress, argo: "Suspended", checks: atRest, waits: []string{}, started: inProgress, suspendedDone: current,
		},
		"suspended after a stop": {
			before: append(slices.Clone(toRunning), stopping, finalizing), view: status.View{Stage: status.Suspended},
			want:    "Ready=False/Suspended Admitted=False/Suspended Finished=False Running=False",
			kstatus: inProgress, argo: "Suspended", checks: atRest, waits: []string{}, started: inProgress, suspendedDone: current,
		},
	}
}

func afterTheEnd() map[string]line {
	success := status.View{Stage: status.Succeeded}
	succeeded := "Ready=True/Succeeded Admitted=True/Admitted Finished=True Running=False"
	all := map[string]line{
		"succeeded": {
			before: toTheEnd, view: success, want: succeeded,
			kstatus: current, argo: healthy, checks: atRest, waits: []string{"Admitted", "Finished", "Ready"}, started: current, suspendedDone: current,
		},
		"retained resources cleaned up later": {
			before: append(slices.Clone(toTheEnd), success), view: success, want: succeeded,
			kstatus: current, argo: healthy, checks: atRest, waits: []string{"Admitted", "Finished", "Ready"}, started: current, suspendedDone: current,
		},
		"spec changed after success": {
			before: toTheEnd, view: success, edited: true, want: succeeded,
			kstatus: inProgress, argo: progressing, checks: onTheWay, waits: []string{}, started: inProgress, suspendedDone: inProgress,
		},
		"being deleted": {
			before: toTheEnd, view: success, deleted: true, want: succeeded,
			kstatus: "Terminating", checks: atRest, waits: []string{"Admitted", "Finished", "Ready"}, started: current, suspendedDone: current,
		},
		"failed: admission timeout": {
			before: []status.View{queued}, view: status.View{Stage: status.AdmissionTimeout},
			want:    "Stalled=True/AdmissionTimeout Ready=False/AdmissionTimeout Admitted=False/WaitingForQuota Finished=True Running=False",
			kstatus: failed, argo: degraded, checks: atRest, waits: []string{"Finished", "Stalled"}, started: failed, suspendedDone: failed,
		},
	}
	for _, stage := range []status.Stage{
		status.Failed, status.RetriesExceeded, status.DeadlineExceeded, status.TotalDeadlineExceeded, status.DriverStartTimeout, status.ExecutorStartTimeout,
		status.GateConflict,
	} {
		reason := string(stage)
		all["failed: "+reason] = line{
			before: toTheEnd, view: status.View{Stage: stage, Message: "exit code 3"},
			want:    "Stalled=True/" + reason + " Ready=False/" + reason + " Admitted=True/Admitted Finished=True Running=False",
			kstatus: failed, argo: degraded, checks: atRest, waits: []string{"Admitted", "Finished", "Stalled"}, started: failed, suspendedDone: failed,
		}
	}
	return all
}

func blocked() map[string]line {
	return map[string]line{
		"invalid spec": {
			view:    status.View{Stage: status.InvalidSpec},
			want:    "Stalled=True/InvalidSpec Ready=False/InvalidSpec Finished=False",
			kstatus: failed, argo: degraded, checks: atRest, waits: []string{"Stalled"}, started: failed, suspendedDone: failed,
		},
		"invalid spec after a success": {
			before: append(slices.Clone(toTheEnd), status.View{Stage: status.Succeeded}), view: status.View{Stage: status.InvalidSpec},
			want:    "Stalled=True/InvalidSpec Ready=False/InvalidSpec Finished=False",
			kstatus: failed, argo: degraded, checks: atRest, waits: []string{"Stalled"}, started: failed, suspendedDone: failed,
		},
		"not yet supported": {
			view:    status.View{Stage: status.NotYetSupported},
			want:    "Stalled=True/NotYetSupported Ready=False/NotYetSupported Finished=False",
			kstatus: failed, argo: degraded, checks: atRest, waits: []string{"Stalled"}, started: failed, suspendedDone: failed,
		},
		"deactivated": {
			before: []status.View{queued}, view: status.View{Stage: status.Deactivated},
			want:    "Stalled=True/Deactivated Ready=False/Deactivated Admitted=False/QueueHeld Finished=False",
			kstatus: failed, argo: degraded, checks: atRest, waits: []string{"Stalled"}, started: failed, suspendedDone: failed,
		},
		"flavor mismatch": {
			before: []status.View{queued}, view: status.View{Stage: status.FlavorMismatch},
			want:    "Stalled=True/FlavorMismatch Ready=False/FlavorMismatch Admitted=False/FlavorMismatch Finished=False",
			kstatus: failed, argo: degraded, checks: atRest, waits: []string{"Stalled"}, started: failed, suspendedDone: failed,
		},
		"exceeds quota": {
			before: []status.View{queued}, view: status.View{Stage: status.ExceedsQuota},
			want:    "Stalled=True/ExceedsQuota Ready=False/ExceedsQuota Admitted=False/ExceedsQuota Finished=False",
			kstatus: failed, argo: degraded, checks: atRest, waits: []string{"Stalled"}, started: failed, suspendedDone: failed,
		},
	}
}

func otherwise() map[string]line {
	lost := finalizing
	lost.NodeLost = "node n1 does not answer"
	ignored := running
	ignored.TemplateIgnored = "the run template differs"
	return map[string]line{
		"node lost": {
			before: toRunning, view: lost,
			want:    "Reconciling=True/Progressing Ready=Unknown/Finalizing Admitted=True/Admitted Finished=False NodeLost=True/NodeLost Running=False",
			kstatus: inProgress, argo: progressing, checks: onTheWay, waits: []string{"Admitted", "NodeLost", "Reconciling"}, started: inProgress, suspendedDone: inProgress,
		},
		"template ignored": {
			before: toRunning, view: ignored,
			want:    "Reconciling=True/Progressing Ready=Unknown/Running Admitted=True/Admitted Finished=False Running=True TemplateIgnored=True/TemplateIgnored",
			kstatus: inProgress, argo: progressing, checks: onTheWay, waits: []string{"Admitted", "Reconciling", "Running", "TemplateIgnored"}, started: current, suspendedDone: inProgress,
		},
		"stage of a newer operator": {
			before: toRunning, view: status.View{Stage: "Checkpointing"},
			want:    "Reconciling=True/Progressing Ready=Unknown/Running Admitted=True/Admitted Finished=False Running=True UnknownStage=True/UnknownStage",
			kstatus: inProgress, argo: progressing, checks: onTheWay, waits: []string{"Admitted", "Reconciling", "Running", "UnknownStage"}, started: current, suspendedDone: inProgress,
		},
	}
}

// object returns the application of a line, as the operator would have left it.
func (l line) object() *v1alpha1.SparkApplication {
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Name: "pi", Namespace: "default", Generation: 4}}
	app.Status.ObservedGeneration = -1
	if l.unseen {
		return app
	}
	for i, v := range append(slices.Clone(l.before), l.view) {
		v.Generation = 4
		app.Status.Conditions = status.Conditions(app.Status.Conditions, v, at(i))
	}
	app.Status.ObservedGeneration = 4
	if l.edited {
		app.Generation = 5
	}
	if l.deleted {
		now := at(99)
		app.DeletionTimestamp = &now
	}
	return app
}

func TestEveryRowIsUnderstood(t *testing.T) {
	t.Parallel()
	for name, l := range lines() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := l.object()
			if got := short(app.Status.Conditions); got != l.want {
				t.Errorf("conditions (-want +got):\n-%s\n+%s", l.want, got)
			}
			u := served(t, v1alpha1.SparkApplicationKind, app)
			if got := kstatusOf(t, u); got != l.kstatus {
				t.Errorf("kstatus says %s, want %s", got, l.kstatus)
			}
			if got, message := argoOf(t, u); l.argo != "" && got != l.argo {
				t.Errorf("Argo CD says %s (%s), want %s", got, message, l.argo)
			}
			checkFlux(t, l.checks, app)
			if diff := cmp.Diff(append([]string{}, l.waits...), kubectlWaits(u)); diff != "" {
				t.Errorf("kubectl wait returns for (-want +got):\n%s", diff)
			}
			if got := celOf(t, "started", u); got != l.started {
				t.Errorf("profile started says %s, want %s", got, l.started)
			}
			if got := celOf(t, "suspendedIsDone", u); got != l.suspendedDone {
				t.Errorf("profile suspendedIsDone says %s, want %s", got, l.suspendedDone)
			}
		})
	}
}

// TestArgoCDSaysWhyAChangeWaits: while a changed template waits for its turn, Argo CD shows what Ready says of it.
func TestArgoCDSaysWhyAChangeWaits(t *testing.T) {
	t.Parallel()
	const said = "driver pod pi runs; run 2 follows this one: the run template has changed"
	app := line{view: status.View{Stage: status.Running, Message: said}, edited: true}.object()
	u := served(t, v1alpha1.SparkApplicationKind, app)
	if got, message := argoOf(t, u); got != progressing || message != "generation 5 is not in effect yet; last message: "+said {
		t.Errorf("Argo CD says %s (%s)", got, message)
	}
}

// TestTheDefaultIsNeeded shows why the CRDs give status.observedGeneration a default: without it a fresh object counts as done.
func TestTheDefaultIsNeeded(t *testing.T) {
	t.Parallel()
	u := served(t, v1alpha1.SparkApplicationKind, &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Name: "pi", Generation: 1}})
	delete(u.Object, "status")
	if got := kstatusOf(t, u); got != current {
		t.Errorf("kstatus says %s about an object without status; if that is no longer %s, the default may go", got, current)
	}
	if got, _ := argoOf(t, u); got != progressing {
		t.Errorf("Argo CD says %s, want %s", got, progressing)
	}
}

// TestFailureNeedsStalled shows why a failed run is Stalled: Ready=False alone is waited for until the timeout.
func TestFailureNeedsStalled(t *testing.T) {
	t.Parallel()
	app := line{before: toTheEnd, view: status.View{Stage: status.Failed}}.object()
	app.Status.Conditions = slices.DeleteFunc(app.Status.Conditions, func(c metav1.Condition) bool { return c.Type == v1alpha1.StalledCondition })
	u := served(t, v1alpha1.SparkApplicationKind, app)
	if got := kstatusOf(t, u); got != inProgress {
		t.Errorf("kstatus says %s, want %s", got, inProgress)
	}
	if got, _ := argoOf(t, u); got != progressing {
		t.Errorf("Argo CD says %s, want %s", got, progressing)
	}
}
