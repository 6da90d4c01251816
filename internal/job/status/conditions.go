// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"cmp"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// View is everything that the conditions of an application depend on, apart from its earlier conditions.
type View struct {
	// Stage is the stage of the run. If it is unknown, the conditions stay as they are and UnknownStage is added.
	Stage Stage
	// Message is the message of Ready, Reconciling and Stalled; if empty, the default message of the stage is used. It
	// must not contain numbers that change all the time.
	Message string
	// Admitted is what the gate reports. If it is nil, or contradicts the stage (admitted while queued), the earlier
	// condition stays if it still applies; otherwise the default of the stage is used.
	Admitted *AdmittedView
	// DriverRunning reports that the driver runs, although it is being stopped. It is used only in the stage
	// Finalizing.
	DriverRunning bool
	// ReadyWhen is spec.readyWhen; empty means Succeeded.
	ReadyWhen v1alpha1.ReadyWhen
	// ReadyLatched reports that the driver and the executors of the base gang were ready at least once in this attempt.
	// It is used only if ReadyWhen is Running.
	ReadyLatched bool
	// ReadyLost reports that the driver was ready in this attempt and is not now. It is used only if ReadyLatched is.
	ReadyLost bool
	// ReferenceOverdue reports that a missing reference, or a queue that does not admit the namespace, has been waited
	// for longer than --reference-timeout. It is used only in the stages ReferenceNotFound, Queued and Preempted.
	ReferenceOverdue bool
	// Blocked reports that the run continues because the next one, which the spec asks for, cannot begin because of a
	// mistake. It is used only in the stages Starting and Running.
	Blocked bool
	// Generation is the observedGeneration of every condition.
	Generation int64

	// TemplateIgnored, NodeLost and UnknownStage are the messages of the conditions of that name. If one is
	// empty, its condition is absent.
	TemplateIgnored string
	NodeLost        string
	UnknownStage    string
}

// AdmittedView is what the gate reports about the attempt.
type AdmittedView struct {
	Admitted bool
	// Reason is one of the reasons of Admitted; if empty, the default of the stage is used.
	Reason string
	// Message is stable, like View.Message.
	Message string
}

// Conditions returns all conditions of an application. old are its earlier conditions, which are not changed, and now
// is the time of the write. Conditions of unknown types are dropped. lastTransitionTime changes only if the status of a
// condition does.
//
// If nothing in the view has changed, the result equals old, so a caller can compare them to save a write.
func Conditions(old []metav1.Condition, v View, now metav1.Time) []metav1.Condition {
	r, known := table[v.Stage]
	if !known {
		return markUnknown(old, v, now)
	}
	l := conditionList{old: old, now: now, generation: v.Generation}
	v.addStage(&l, r)
	v.addAdmitted(&l, r)
	addRunning(&l, r, v.DriverRunning)
	addFinished(&l, r)
	if v.Stage != New {
		l.addTrue(v1alpha1.TemplateIgnoredCondition, v.TemplateIgnored)
		l.addTrue(v1alpha1.NodeLostCondition, v.NodeLost)
		l.addTrue(v1alpha1.UnknownStageCondition, v.UnknownStage)
	}
	return l.sorted()
}

// readiness returns the readiness of the row, unless the view overrides it.
func (v View) readiness(r row) readiness {
	switch {
	case (v.Stage == Starting || v.Stage == Running) && v.Blocked:
		return stalled
	case v.Stage == Running && v.ReadyWhen == v1alpha1.ReadyWhenRunning && v.ReadyLatched:
		if v.ReadyLost {
			return retrying
		}
		return succeeded
	case (v.Stage == ReferenceNotFound || v.Stage == Queued || v.Stage == Preempted) && v.ReferenceOverdue:
		return stalled
	}
	return r.readiness
}

// addStage adds Ready and, depending on its readiness, Reconciling or Stalled.
func (v View) addStage(l *conditionList, r row) {
	message := v.Message
	if message == "" {
		message = r.message
	}
	l.addReadiness(v.readiness(r), string(v.Stage), message)
}

// addAdmitted adds Admitted: from the view, else as it was before, else from the row.
func (v View) addAdmitted(l *conditionList, r row) {
	if r.admitted == absent {
		return
	}
	admitted := v.Admitted
	if admitted == nil || (r.admitted != unchanged && admitted.Admitted != (r.admitted == yes)) {
		admitted = v.previousAdmitted(l.old, r)
	}
	switch {
	case admitted != nil && admitted.Admitted:
		reason := cmp.Or(admitted.Reason, v1alpha1.AdmittedReason)
		l.add(v1alpha1.AdmittedCondition, metav1.ConditionTrue, reason, cmp.Or(admitted.Message, admittedMessages[reason]))
	case admitted != nil:
		reason := cmp.Or(admitted.Reason, r.reason, v1alpha1.WaitingForGateReason)
		l.add(v1alpha1.AdmittedCondition, metav1.ConditionFalse, reason, cmp.Or(admitted.Message, admittedMessages[reason]))
	case r.admitted != unchanged:
		l.add(v1alpha1.AdmittedCondition, boolStatus(r.admitted == yes), r.reason, admittedMessages[r.reason])
	}
}

// previousAdmitted returns the earlier condition Admitted if it still applies: through all stages of a grant, within
// one stage of waiting, and after the end. Otherwise it returns nil.
func (v View) previousAdmitted(old []metav1.Condition, r row) *AdmittedView {
	last := meta.FindStatusCondition(old, v1alpha1.AdmittedCondition)
	if last == nil {
		return nil
	}
	stage, _ := StageOf(old)
	was := last.Status == metav1.ConditionTrue
	if holds := r.admitted == unchanged || (r.admitted == yes && was) || (r.admitted == no && !was && stage == v.Stage); !holds {
		return nil
	}
	return &AdmittedView{Admitted: was, Reason: last.Reason, Message: last.Message}
}

// admittedMessages are the default messages of Admitted, by its reason.
var admittedMessages = map[string]string{
	v1alpha1.AdmittedReason:             "the gate has admitted the attempt",
	v1alpha1.DelegatedToSchedulerReason: "admission is left to the scheduler",
	v1alpha1.WaitingForGateReason:       "the gate has not admitted the attempt",
	v1alpha1.PreemptedReason:            "the quota was reclaimed",
	v1alpha1.SuspendedReason:            "a suspended application requests no quota",
	v1alpha1.QueueHeldReason:            "the queue admits nothing",
	v1alpha1.FlavorMismatchReason:       "the assigned flavor conflicts with the pods' node selector",
	v1alpha1.ExceedsQuotaReason:         "the request exceeds what the queue could ever hold",
}

// addRunning adds Running. Its reason, Running or NotRunning, only repeats the status, because a reason must not be
// empty.
func addRunning(l *conditionList, r row, seen bool) {
	running := r.running == yes || (r.running == whileDriverRuns && seen)
	shown := r.running != absent
	if r.running == unchanged {
		shown = meta.FindStatusCondition(l.old, v1alpha1.RunningCondition) != nil
	}
	switch {
	case !shown:
	case running:
		l.add(v1alpha1.RunningCondition, metav1.ConditionTrue, v1alpha1.RunningReason, "the driver's container runs")
	default:
		l.add(v1alpha1.RunningCondition, metav1.ConditionFalse, notRunningReason, "the driver's container does not run")
	}
}

// addFinished adds Finished.
func addFinished(l *conditionList, r row) {
	switch r.finished {
	case yes:
		l.add(v1alpha1.FinishedCondition, metav1.ConditionTrue, finishedReason, "the run has ended and has released everything")
	case no:
		l.add(v1alpha1.FinishedCondition, metav1.ConditionFalse, notFinishedReason, "the run has not ended")
	}
}

// The reasons of Running and Finished only repeat the status. What happened is the reason of Ready.
const (
	notRunningReason  = "NotRunning"
	finishedReason    = "Finished"
	notFinishedReason = "NotFinished"
)

// markUnknown returns the conditions of an application in an unknown stage: the old ones and UnknownStage.
func markUnknown(old []metav1.Condition, v View, now metav1.Time) []metav1.Condition {
	l := conditionList{old: old, now: now, generation: v.Generation}
	for _, c := range old {
		if c.Type != v1alpha1.UnknownStageCondition {
			l.conditions = append(l.conditions, c)
		}
	}
	l.addTrue(v1alpha1.UnknownStageCondition, cmp.Or(v.UnknownStage,
		"the stage "+string(v.Stage)+" is not known to this version of the operator, which leaves the application alone: run the newer version"))
	return l.sorted()
}

func boolStatus(b bool) metav1.ConditionStatus {
	if b {
		return metav1.ConditionTrue
	}
	return metav1.ConditionFalse
}
