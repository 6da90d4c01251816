// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/fluxcd/pkg/apis/meta"
)

// ScheduledSparkApplication creates a SparkApplication whenever its schedule is due.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=scheduledsparkapplications,singular=scheduledsparkapplication,shortName=sgsched,categories=sparkgate
// +kubebuilder:printcolumn:name="SCHEDULE",type=string,JSONPath=`.spec.schedule`
// +kubebuilder:printcolumn:name="ZONE",type=string,JSONPath=`.spec.timeZone`
// +kubebuilder:printcolumn:name="SUSPEND",type=boolean,JSONPath=`.spec.suspend`
// +kubebuilder:printcolumn:name="LAST",type=string,JSONPath=`.status.lastRunTime`
// +kubebuilder:printcolumn:name="NEXT",type=string,JSONPath=`.status.nextRunTime`
// +kubebuilder:printcolumn:name="ACTIVE",type=integer,JSONPath=`.status.activeCount`
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="MESSAGE",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,priority=1
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 52 && self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="set metadata.name to a DNS label of at most 52 characters, because the names of its applications are longer: lower-case letters, digits and '-', beginning and ending with a letter or digit"
type ScheduledSparkApplication struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is when to run, and what. The operator never writes it.
	// +required
	Spec ScheduledSparkApplicationSpec `json:"spec"`

	// status is what the operator has created and observed. Its default, observedGeneration -1, makes health checkers
	// wait until the operator has looked at the object.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1,"activeCount":0}
	// +structType=atomic
	Status ScheduledSparkApplicationStatus `json:"status,omitempty"`

	// Stub is set if metadata and template were left out of this copy, because the object is too large to be kept in
	// memory. It is the operator's own note and not part of the API.
	Stub *Stub `json:"-"`
}

// ScheduledSparkApplicationList is a list of ScheduledSparkApplications.
//
// +kubebuilder:object:root=true
type ScheduledSparkApplicationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ScheduledSparkApplication `json:"items"`
}

// ScheduledSparkApplicationSpec is a schedule and a template.
type ScheduledSparkApplicationSpec struct {
	// schedule has five fields: minute, hour, day of month, month and day of week. It can also be "@every" with a
	// duration of at least 1m, or one of @yearly, @annually, @monthly, @weekly, @daily, @midnight and @hourly. A change
	// takes effect when the operator sees it.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="!self.contains('=')",message="set schedule to times only: remove TZ=, and set timeZone"
	// +kubebuilder:validation:XValidation:rule="!self.matches('^@every +([0-9]{1,6}([.][0-9]+)?(h|ms|m|s))+$') || (duration(self.substring(7).trim()) >= duration('1m') && duration(self.substring(7).trim()) <= duration('8784h'))",message="set schedule to @every with a duration of 1m to 8784h, such as @every 90m"
	// +kubebuilder:validation:XValidation:rule="self.matches('^@(yearly|annually|monthly|weekly|daily|midnight|hourly)$|^@every +([0-9]{1,6}([.][0-9]+)?(h|ms|m|s))+$') || self.matches('^ *[^ @]+( +[^ @]+){4} *$')",message="set schedule to five fields (minute, hour, day of month, month, day of week), such as '30 2 * * *', or @every with a duration, or one of @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly"
	Schedule string `json:"schedule"`

	// timeZone is a name in the IANA time zone database, such as Europe/Zurich. Default: UTC.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self != 'Local'",message="set timeZone to a name such as Europe/Zurich, or to UTC: Local is the zone of the machine that the operator runs on"
	TimeZone string `json:"timeZone,omitempty"`

	// concurrencyPolicy is what happens if the schedule is due while an earlier application of it has not finished:
	// Forbid (default) misses the run, unless the other one ends within startingDeadline; Allow starts it as well;
	// Replace deletes the other one first.
	// +optional
	ConcurrencyPolicy ConcurrencyPolicy `json:"concurrencyPolicy,omitempty"`

	// startingDeadline is how late a run may start; a later one is missed. Default: no limit for the runs of catchUp.
	// Otherwise, under Forbid, a run that is due while another has not finished is missed at once, but not before the
	// operator has been the leader for 30 seconds, because until then it may not know that the other one has finished.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')",message="set startingDeadline to a duration such as 90s, 10m or 1h30m, in numbers of at most six digits"
	StartingDeadline *Duration `json:"startingDeadline,omitempty"`

	// catchUp is which of the runs that were due while no operator was running are started: None, Last (default), or
	// All, which starts the last ten.
	// +optional
	CatchUp CatchUpPolicy `json:"catchUp,omitempty"`

	// suspend stops the schedule. Existing applications continue. Runs that are due in the meantime are not started
	// later. Default: false.
	// +optional
	Suspend bool `json:"suspend,omitempty"`

	// successfulHistoryLimit is how many successful applications are kept. Default: 3.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	SuccessfulHistoryLimit *int32 `json:"successfulHistoryLimit,omitempty"`

	// failedHistoryLimit is how many failed applications are kept. Default: 1.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	FailedHistoryLimit *int32 `json:"failedHistoryLimit,omitempty"`

	// readyWhen is when the schedule is Ready. Scheduled: as long as the schedule works, whatever the outcome of its
	// runs. LastRunSucceeded: if, in addition, the last run that has ended succeeded. Default: Scheduled.
	// +optional
	ReadyWhen ScheduleReadiness `json:"readyWhen,omitempty"`

	// template is the application that is created for each run. A change takes effect with the next run.
	// +required
	Template ApplicationTemplate `json:"template"`
}

// ConcurrencyPolicy is what happens if a schedule is due while an application of it has not finished.
// +kubebuilder:validation:Enum=Forbid;Allow;Replace
type ConcurrencyPolicy string

const (
	// ConcurrencyForbid misses the run, unless the other application ends within startingDeadline.
	ConcurrencyForbid ConcurrencyPolicy = "Forbid"
	// ConcurrencyAllow starts the run in addition to the others.
	ConcurrencyAllow ConcurrencyPolicy = "Allow"
	// ConcurrencyReplace deletes the other applications, and starts the run when they are gone and have released their
	// quota.
	ConcurrencyReplace ConcurrencyPolicy = "Replace"
)

// CatchUpPolicy is which missed runs are started later.
// +kubebuilder:validation:Enum=None;Last;All
type CatchUpPolicy string

const (
	// CatchUpNone starts none of them.
	CatchUpNone CatchUpPolicy = "None"
	// CatchUpLast starts the last of them.
	CatchUpLast CatchUpPolicy = "Last"
	// CatchUpAll starts the last ten of them, oldest first. Under Forbid and Replace each one starts when the one
	// before it has finished.
	CatchUpAll CatchUpPolicy = "All"
)

// ScheduleReadiness is when a schedule is ready.
// +kubebuilder:validation:Enum=Scheduled;LastRunSucceeded
type ScheduleReadiness string

const (
	// ReadyWhenScheduled: the schedule works.
	ReadyWhenScheduled ScheduleReadiness = "Scheduled"
	// ReadyWhenLastRunSucceeded: the schedule works, and its last run that has ended succeeded, or none has ended yet.
	ReadyWhenLastRunSucceeded ScheduleReadiness = "LastRunSucceeded"
)

// ApplicationTemplate is the template of the applications of a schedule.
type ApplicationTemplate struct {
	// metadata are labels and annotations of the applications.
	// +optional
	Metadata TemplateMetadata `json:"metadata,omitempty"`

	// spec is the spec of a SparkApplication. It is checked when the operator reads the schedule, which reports
	// mistakes in it.
	// +required
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Type=object
	// +kubebuilder:validation:Schemaless
	Spec runtime.RawExtension `json:"spec"`
}

// TemplateMetadata are labels and annotations of the applications of a schedule.
//
// +kubebuilder:validation:XValidation:rule="!has(self.name) && !has(self.generateName) && !has(self.__namespace__)",message="set labels and annotations only: applications are named after the schedule and the time, and are created in its namespace"
type TemplateMetadata struct {
	// labels of the applications.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Labels map[string]string `json:"labels,omitempty"`
	// annotations of the applications.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Annotations map[string]string `json:"annotations,omitempty"`

	// name must not be set.
	// +optional
	Name string `json:"name,omitempty"`
	// generateName must not be set.
	// +optional
	GenerateName string `json:"generateName,omitempty"`
	// namespace must not be set.
	// +optional
	Namespace string `json:"namespace,omitempty"`
}

// ScheduledSparkApplicationStatus is what the operator knows about a schedule. Times are in RFC 3339 with the offset of
// spec.timeZone.
type ScheduledSparkApplicationStatus struct {
	// observedGeneration is the generation of the spec that the rest of the status describes; -1 until the operator has
	// looked at it.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions are Ready; Stalled, if nothing will run until the schedule is changed; and LastRunSucceeded, once a
	// run has ended.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=8
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// nextRunTime is when the schedule is due next; absent while it is suspended or stalled.
	// +optional
	NextRunTime string `json:"nextRunTime,omitempty"`

	// lastRunTime is the latest time for which a run was created.
	// +optional
	LastRunTime string `json:"lastRunTime,omitempty"`

	// lastSuccessfulRun is the last application that succeeded.
	// +optional
	LastSuccessfulRun *ScheduledRun `json:"lastSuccessfulRun,omitempty"`

	// lastFailedRun is the last application that failed.
	// +optional
	LastFailedRun *ScheduledRun `json:"lastFailedRun,omitempty"`

	// active are the names of applications that have not finished, oldest first, at most 20.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	Active []string `json:"active,omitempty"`

	// activeCount is the number of applications that have not finished.
	// +required
	ActiveCount int32 `json:"activeCount"`

	// missed counts the runs that were due but were not started, by reason.
	// +optional
	// +listType=map
	// +listMapKey=reason
	// +kubebuilder:validation:MaxItems=16
	Missed []MissedRuns `json:"missed,omitempty"`

	// handled is how far the operator has followed the schedule.
	// +optional
	Handled *HandledSchedule `json:"handled,omitempty"`

	// lastHandledReconcileAt echoes the annotation reconcile.fluxcd.io/requestedAt.
	meta.ReconcileRequestStatus `json:",inline"`

	// lastHandledForceAt echoes the annotation reconcile.fluxcd.io/forceAt: a run was created because of it.
	// +optional
	LastHandledForceAt string `json:"lastHandledForceAt,omitempty"`

	// runFor is the last request to run past times, which the annotation sparkgate.io/run-for names, and what has become
	// of it. Absent without that annotation.
	// +optional
	RunFor *RunForStatus `json:"runFor,omitempty"`
}

// HandledSchedule is how far a schedule has been followed: everything that was due until then was started or missed.
type HandledSchedule struct {
	// until is the time until which the schedule has been followed.
	// +required
	Until metav1.Time `json:"until"`
	// schedule is the schedule that was followed. A changed one is followed from the moment at which the operator sees
	// it.
	// +required
	Schedule string `json:"schedule"`
	// timeZone is the time zone of the schedule that was followed.
	// +optional
	TimeZone string `json:"timeZone,omitempty"`
	// paused is true if nothing was due then, because the schedule was suspended or stalled. It is followed again from
	// the moment at which that ends.
	// +optional
	Paused bool `json:"paused,omitempty"`
	// mistake is true if it was paused because of a mistake, and not suspended. What is due then is missed.
	// +optional
	Mistake bool `json:"mistake,omitempty"`
}

// ScheduledRun is an application of a schedule that has ended.
type ScheduledRun struct {
	// name of the application.
	// +required
	Name string `json:"name"`
	// time is when it ended.
	// +optional
	Time string `json:"time,omitempty"`
	// message is the message of the application about its end.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`
}

// MissedRuns counts runs that were due but were not started.
type MissedRuns struct {
	// reason is OperatorDown, ConcurrencyForbidden, StartingDeadlineExceeded, NameTaken, CreateFailed, Replaced,
	// Superseded, InvalidSpec, ScheduleChanged or NotFollowed.
	// +required
	Reason string `json:"reason"`
	// count is their number since the schedule was created.
	// +required
	Count int64 `json:"count"`
	// last is when the last one of them was due.
	// +optional
	Last string `json:"last,omitempty"`
}

// Reasons of MissedRuns.
const (
	// MissedOperatorDown: no operator was running, and catchUp does not start the run.
	MissedOperatorDown = "OperatorDown"
	// MissedConcurrencyForbidden: an application of the schedule had not finished.
	MissedConcurrencyForbidden = "ConcurrencyForbidden"
	// MissedStartingDeadlineExceeded: the run could not start within startingDeadline.
	MissedStartingDeadlineExceeded = "StartingDeadlineExceeded"
	// MissedNameTaken: an application that does not belong to the schedule has the name.
	MissedNameTaken = "NameTaken"
	// MissedCreateFailed: the API server refused the application until the next run was due.
	MissedCreateFailed = "CreateFailed"
	// MissedReplaced: under Replace, the next run was due before this one could start.
	MissedReplaced = "Replaced"
	// MissedSuperseded: the application of the run could not start, and was deleted for the next run.
	MissedSuperseded = "Superseded"
	// MissedInvalidSpec: the schedule had a mistake.
	MissedInvalidSpec = "InvalidSpec"
	// MissedScheduleChanged: the run waited, or was due while no operator was running, and then the schedule or its time
	// zone was changed.
	MissedScheduleChanged = "ScheduleChanged"
	// MissedNotFollowed: under Allow, more than ten runs were due at once, because the operator could not follow the
	// schedule or a clock was set ahead, and this one was not among the last ten.
	MissedNotFollowed = "NotFollowed"
)

// Labels and annotations of the applications of a schedule.
const (
	// ScheduleLabel is the name of the schedule.
	ScheduleLabel = Group + "/schedule"
	// ScheduledForAnnotation is the time at which the schedule was due, in its time zone. Applications that a user
	// requested do not have it.
	ScheduledForAnnotation = Group + "/scheduled-for"
	// ScheduledDateAnnotation is the date of ScheduledForAnnotation, such as 2026-11-23.
	ScheduledDateAnnotation = Group + "/scheduled-date"
	// PreviousScheduledForAnnotation is the time of the schedule before ScheduledForAnnotation, whatever became of its
	// run: the start of the interval.
	PreviousScheduledForAnnotation = Group + "/previous-scheduled-for"
	// RunForRequestAnnotation is a hash of the request because of which the application was created, if that was a
	// RunForAnnotation.
	RunForRequestAnnotation = Group + "/run-for-request"
	// KeepAnnotation on an application, with the value "true", exempts it from the history limits.
	KeepAnnotation = Group + "/keep"
)

// ScheduledAnnotations are those that the driver's pod gets as well. Applications that a user requested to run now have
// none of them.
var ScheduledAnnotations = []string{ScheduledForAnnotation, ScheduledDateAnnotation, PreviousScheduledForAnnotation}

// LastRunSucceededCondition of a schedule is whether the last run that has ended succeeded.
const LastRunSucceededCondition = "LastRunSucceeded"

// ScheduledReason is the reason of Ready for a schedule that works.
const ScheduledReason = "Scheduled"

// GetConditions returns the conditions.
func (s *ScheduledSparkApplication) GetConditions() []metav1.Condition { return s.Status.Conditions }

// SetConditions replaces the conditions.
func (s *ScheduledSparkApplication) SetConditions(conditions []metav1.Condition) {
	s.Status.Conditions = conditions
}
