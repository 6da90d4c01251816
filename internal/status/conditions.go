// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"cmp"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// View is everything that the conditions of an application depend on, besides the conditions that it had.
type View struct {
	// Stage of the run; an unknown one leaves the conditions alone and adds UnknownStage.
	Stage Stage
	// Message of Ready, Reconciling and Stalled; empty takes the stage's own sentence. It must be stable: no ticking
	// numbers.
	Message string
	// Admitted is what the gate says. Nil keeps its last words while they hold, else takes the stage's own. One that
	// contradicts the stage (admitted while queued) counts as nil.
	Admitted *AdmittedView
	// DriverRunning is read in the stage Finalizing only: a driver that is being stopped may still run.
	DriverRunning bool
	// ReadyWhen is the user's choice; empty means Succeeded.
	ReadyWhen v1alpha1.ReadyWhen
	// ReadyLatched says that driver and base executors of this attempt were ready at least once. Read under ReadyWhen
	// Running only.
	ReadyLatched bool
	// ReferenceOverdue says that what is missing, or a queue that does not admit the namespace, has been waited for
	// longer than the reference timeout. Read in the stages ReferenceNotFound, Queued and Preempted only.
	ReferenceOverdue bool
	// Blocked says that the run continues, and that the one which the spec asks for cannot begin because of a mistake. Read in
	// the stages Starting and Running only.
	Blocked bool
	// Generation of the spec that the view speaks of: observedGeneration of every condition.
	Generation int64

	// TemplateIgnored, NodeLost, UnknownStage and Contested are the messages of the conditions of that name; an empty one hides
	// the condition.
	TemplateIgnored string
	NodeLost        string
	UnknownStage    string
	Contested       string
}

// AdmittedView is what the gate says about the attempt.
type AdmittedView struct {
	Admitted bool
	// Reason is one of the reasons of Admitted; empty takes the stage's own.
	Reason string
	// Message is stable, as View.Message.
	Message string
}

// Conditions returns the whole list of conditions of an application: old is what it has, now the moment of the write.
// Conditions whose type is not in the table are dropped. lastTransitionTime moves only when the status of a condition
// changes. old is not changed.
//
// Without a change in the view the result equals old, so a caller may compare the two to save a write.
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
		l.addTrue(v1alpha1.ContestedCondition, v.Contested)
	}
	return l.sorted()
}

// readiness returns the row's, except in the rows that depend on the view.
func (v View) readiness(r row) readiness {
	switch {
	case (v.Stage == Starting || v.Stage == Running) && v.Blocked:
		return stalled
	case v.Stage == Running && v.ReadyWhen == v1alpha1.ReadyWhenRunning && v.ReadyLatched:
		return succeeded
	case (v.Stage == ReferenceNotFound || v.Stage == Queued || v.Stage == Preempted) && v.ReferenceOverdue:
		return stalled
	}
	return r.readiness
}

// addStage adds Ready and, by its readiness, Reconciling or Stalled.
func (v View) addStage(l *conditionList, r row) {
	message := v.Message
	if message == "" {
		message = r.message
	}
	l.addReadiness(v.readiness(r), string(v.Stage), message)
}

// addAdmitted adds Admitted: as the view says, else as the condition was, else as the row says.
func (v View) addAdmitted(l *conditionList, r row) {
	if r.admitted == absent {
		return
	}
	said := v.Admitted
	if said == nil || (r.admitted != asLast && said.Admitted != (r.admitted == yes)) {
		said = v.previousAdmitted(l.old, r)
	}
	switch {
	case said != nil && said.Admitted:
		reason := cmp.Or(said.Reason, v1alpha1.AdmittedReason)
		l.add(v1alpha1.AdmittedCondition, metav1.ConditionTrue, reason, cmp.Or(said.Message, admittedMessages[reason]))
	case said != nil:
		reason := cmp.Or(said.Reason, r.reason, v1alpha1.WaitingForGateReason)
		l.add(v1alpha1.AdmittedCondition, metav1.ConditionFalse, reason, cmp.Or(said.Message, admittedMessages[reason]))
	case r.admitted != asLast:
		l.add(v1alpha1.AdmittedCondition, boolStatus(r.admitted == yes), r.reason, admittedMessages[r.reason])
	}
}

// previousAdmitted returns Admitted as it was, while that still holds: over all stages of a grant, within one stage of
// waiting, and after the end. Else nil.
func (v View) previousAdmitted(old []metav1.Condition, r row) *AdmittedView {
	last := meta.FindStatusCondition(old, v1alpha1.AdmittedCondition)
	if last == nil {
		return nil
	}
	stage, _ := StageOf(old)
	was := last.Status == metav1.ConditionTrue
	if holds := r.admitted == asLast || (r.admitted == yes && was) || (r.admitted == no && !was && stage == v.Stage); !holds {
		return nil
	}
	return &AdmittedView{Admitted: was, Reason: last.Reason, Message: last.Message}
}

// admittedMessages are the messages of Admitted where the view gives none.
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

// addRunning adds Running. Its reason is Running or NotRunning: the status in a word, because a reason may not be
// empty.
func addRunning(l *conditionList, r row, seen bool) {
	running := r.running == yes || (r.running == asSeen && seen)
	shown := r.running != absent
	if r.running == asLast {
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

// Reasons of Running and Finished repeat the status: what happened is the reason of Ready, and is there only.
const (
	notRunningReason  = "NotRunning"
	finishedReason    = "Finished"
	notFinishedReason = "NotFinished"
)

// markUnknown leaves the conditions of an unknown stage alone and adds UnknownStage.
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
